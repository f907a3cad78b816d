import { capabilitiesOf } from '../plan/capabilities.ts';

/** The newest line of HAProxy that is supported. */
export const newestLine = '3.4';

/** What templates are told of the fleet where there is none to ask: that it is of the newest line. */
export function newestConstants(): { readonly capabilities: object } {
  const { operations: _operations, ...capabilities } = capabilitiesOf({ version: newestLine }, []);
  return { capabilities };
}
