import type { ReportFault } from '../fault.ts';
import { annotationField } from '../policies/annotation-field.ts';
import type { PolicyFields } from '../policies/policy-fields.ts';
import type { Claim } from './claim.ts';

type OtherHosts = Pick<PolicyFields, 'serverAlias' | 'redirectFrom' | 'fromToWwwRedirect'>;

const www = 'www.';
/** An object may have ten thousand paths, and each of them is kept again for every alias. */
const mostCopies = 1_000;

/**
 * The claims of an Ingress, and those that it has for hosts beside the ones of its rules. Annotations that would need a host have no effect without. Aliases with more
 * than 1000 paths among them are reported and left out.
 */
export function withOtherHosts(
  claims: readonly Claim[],
  { serverAlias = [], redirectFrom = [], fromToWwwRedirect = false }: OtherHosts,
  report: ReportFault = () => undefined,
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
    const field = annotationField(key);
    for (const claim of what) {
      all.push({ ...claim, host, group: host, kind: 'exact', beside: true, field, position: all.length });
    }
  };
  const leading = (to: string): readonly Claim[] => {
    const { ref: _, ...claim } = some;
    return [{ ...claim, match: 'prefix', path: '', redirectHost: to }];
  };
  const ofFirst = serverAlias.length === 0 ? [] : claims.filter(({ host }) => host === first);
  const fitting = Math.floor(mostCopies / Math.max(1, ofFirst.length));
  for (const host of serverAlias.slice(0, fitting)) add(host, 'server-alias', ofFirst);
  if (serverAlias.length > fitting) {
    const message = `would be for ${serverAlias.length} times ${ofFirst.length} paths, of which ${mostCopies} are served: has no effect from host ${String(fitting + 1)} on`;
    report({ reason: 'AnnotationWithoutEffect', field: annotationField('server-alias'), message });
  }
  for (const host of redirectFrom) add(host, 'redirect-from', leading(first));
  if (fromToWwwRedirect) {
    for (const host of own)
      add(host.startsWith(www) ? host.slice(www.length) : www + host, 'from-to-www-redirect', leading(host));
  }
  return all;
}
