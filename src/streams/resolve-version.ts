import { combineLatest, concat, filter, map, NEVER, type Observable, of, scan } from 'rxjs';
import { coalesce } from '../operators/coalesce.ts';
import { isOwnGroup, type Served, type ServedKinds } from './served-kinds.ts';

/**
 * Which version of a kind to watch.
 *
 * - `served`: this one, from now on. The same version comes again when it was away in between: a watch has to begin anew
 * - `missing`: none, and none was watched before
 * - `deleted`: the kind was deleted with all its objects
 */
export type ResolvedVersion =
  | { readonly kind: 'served'; readonly apiVersion: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'deleted' };

interface Resolving {
  readonly told: ResolvedVersion | undefined;
  /** The told version is not served any more. */
  readonly isAway: boolean;
  readonly isNews: boolean;
}

/**
 * The first of these versions that the API serves, as versions come and go; one that cannot be asked for counts as served if no
 * later one is. A version that is no longer served is news only when another takes its place or the kind is deleted: until
 * then what is known of it stands, since an API server that has just started may not know all its kinds yet.
 *
 * A single version of Kubernetes itself is not asked for. Loss policy: latest wins within one synchronous burst. Never
 * completes.
 */
export function resolveVersion(
  kinds: ServedKinds | undefined,
  apiVersions: readonly string[],
  resources: string,
): Observable<ResolvedVersion> {
  const [only = '', ...others] = apiVersions;
  if (kinds === undefined || (others.length === 0 && isOwnGroup(only)))
    return concat(of({ kind: 'served' as const, apiVersion: only }), NEVER);
  return combineLatest(apiVersions.map((apiVersion) => kinds.served(apiVersion, resources))).pipe(
    coalesce(),
    map((states) => choose(apiVersions, states)),
    scan(resolve, { told: undefined, isAway: false, isNews: false }),
    filter(({ isNews }) => isNews),
    map(({ told }) => told),
    filter((told) => told !== undefined),
  );
}

function choose(apiVersions: readonly string[], states: readonly Served[]): ResolvedVersion {
  const at = (kind: Served['kind']): string | undefined =>
    apiVersions.find((_, index) => states[index]?.kind === kind);
  const apiVersion = at('served') ?? at('unknown');
  if (apiVersion !== undefined) return { kind: 'served', apiVersion };
  return { kind: states.some(({ kind }) => kind === 'deleted') ? 'deleted' : 'missing' };
}

function resolve({ told, isAway }: Resolving, next: ResolvedVersion): Resolving {
  switch (next.kind) {
    case 'served': {
      const isSame = told?.kind === 'served' && told.apiVersion === next.apiVersion && !isAway;
      return { told: isSame ? told : next, isAway: false, isNews: !isSame };
    }
    case 'missing':
      if (told?.kind === 'served') return { told, isAway: true, isNews: false };
      return { told: next, isAway: false, isNews: told?.kind !== 'missing' && told?.kind !== 'deleted' };
    case 'deleted':
      return { told: next, isAway: false, isNews: told?.kind !== 'deleted' };
  }
}
