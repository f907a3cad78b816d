import type { Owner } from '../../lib/owner.ts';
import type { HostClaim } from './host-claim.ts';
import type { TlsSettings } from './tls-settings.ts';

/**
 * What the namespace that a host belongs to says of it; of several objects the first that says something counts. A namespace is one party: what another one
 * says has no effect on the host.
 *
 * @param ordered claims to the host, the one that counts first
 */
export function settingsFor(
  { namespace }: Pick<Owner, 'namespace'>,
  ordered: readonly HostClaim[],
): TlsSettings | undefined {
  let all: TlsSettings | undefined;
  for (const { owner, settings } of ordered)
    if (owner.namespace === namespace && settings !== undefined) all = { ...settings, ...all };
  return all;
}
