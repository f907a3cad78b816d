import type { PolicyFields } from '../policies/policy-fields.ts';
import type { Claim } from './claim.ts';

type OtherHosts = Pick<PolicyFields, 'serverAlias' | 'redirectFrom' | 'fromToWwwRedirect'>;

const www = 'www.';

/** The claims of an Ingress, and those that it has for hosts beside the ones of its rules. Annotations that would need a host have no effect without. */
export function withOtherHosts(
  claims: readonly Claim[],
  { serverAlias = [], redirectFrom = [], fromToWwwRedirect = false }: OtherHosts,
): readonly Claim[] {
  const own = [...new Set(claims.filter(({ kind }) => kind === 'exact').map(({ host }) => host))];
  const [first] = own;
  const [some] = claims;
  if (first === undefined || some === undefined) return claims;
  const all = [...claims];
  const taken = new Set(own);
  const add = (host: string, key: string, what: readonly Claim[]) => {
    if (taken.has(host)) return;
    taken.add(host);
    const field = `metadata.annotations["haproxy-haptic.org/${key}"]`;
    for (const claim of what) {
      all.push({ ...claim, host, group: host, kind: 'exact', beside: true, field, position: all.length });
    }
  };
  const leading = (to: string): readonly Claim[] => {
    const { ref: _, ...claim } = some;
    return [{ ...claim, match: 'prefix', path: '', redirectHost: to }];
  };
  for (const host of serverAlias)
    add(
      host,
      'server-alias',
      claims.filter(({ host: of }) => of === first),
    );
  for (const host of redirectFrom) add(host, 'redirect-from', leading(first));
  if (fromToWwwRedirect) {
    for (const host of own)
      add(host.startsWith(www) ? host.slice(www.length) : www + host, 'from-to-www-redirect', leading(host));
  }
  return all;
}
