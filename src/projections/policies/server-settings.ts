import type { PolicyFields } from './policy-fields.ts';
import { policyIndex } from './policy-index.ts';

/** What is said of lines of the backend's own section, mostly those of servers: two routes that say something else of one Service have backends of their own. */
export type ServerSettings = Pick<
  PolicyFields,
  | 'backendProtocol'
  | 'secureBackends'
  | 'secureVerifyCaSecret'
  | 'secureVerifyHostname'
  | 'secureSni'
  | 'secureCrtSecret'
  | 'sslMinVersionBackend'
  | 'sslCiphersBackend'
  | 'sslCipherSuitesBackend'
  | 'proxyProtocol'
  | 'cache'
  | 'healthCheckInterval'
  | 'healthCheckPort'
  | 'healthCheckRiseCount'
  | 'healthCheckFallCount'
  | 'maxconnServer'
  | 'maxqueueServer'
  | 'slowStart'
>;

/** Those of all settings; undefined where none is. */
export function serverSettings(fields: PolicyFields): ServerSettings | undefined {
  const found = Object.entries(fields).filter(
    ([name]) => policyIndex.byField.get(name as keyof PolicyFields)?.field.shape === 'server',
  );
  return found.length === 0 ? undefined : Object.fromEntries(found);
}
