import type { Parsed } from '../parsed.ts';
import { isRecord } from '../../lib/is-record.ts';
import { showValue } from '../show-value.ts';
import type { EndpointState } from './endpoint.ts';

/**
 * EndpointConditions (discovery.k8s.io/v1): unset `ready` means true, unset `serving` means the same as `ready`, unset
 * `terminating` means false. `gone` (terminating and not serving) is no endpoint any more.
 */
export function endpointState(conditions: unknown): Parsed<EndpointState | 'gone'> {
  const given = conditions ?? {};
  if (!isRecord(given)) return { fault: `must be an object, not ${showValue(conditions)}` };
  const ready = given['ready'] ?? true;
  const serving = given['serving'] ?? ready;
  const terminating = given['terminating'] ?? false;
  for (const [name, value] of Object.entries({ ready, serving, terminating })) {
    if (typeof value !== 'boolean') return { fault: `${name} must be true or false: ${showValue(value)}` };
  }
  if (ready === true) return { value: 'ready' };
  if (terminating === false) return { value: 'waiting' };
  return { value: serving === true ? 'draining' : 'gone' };
}
