import {
  combineLatest,
  concat,
  concatMap,
  defer,
  distinctUntilChanged,
  EMPTY,
  expand,
  filter,
  map,
  merge,
  NEVER,
  type Observable,
  of,
  ReplaySubject,
  scan,
  share,
  startWith,
  switchMap,
  takeUntil,
  takeWhile,
  timer,
} from 'rxjs';
import { describeFailure, type KubeResult } from '../kube/kube-failure.ts';
import type { ReadJson } from '../kube/read-json.ts';
import { backoffDelay, spread, type BackoffPolicy } from '../lib/backoff.ts';
import { isRecord } from '../lib/is-record.ts';
import { debounceMax } from '../operators/debounce-max.ts';
import type { CustomKindChange } from './custom-kinds.ts';

/**
 * Whether the API serves a kind in a version.
 *
 * - `missing`: it says that it does not, for now
 * - `deleted`: it does not, and its definition was deleted: none of its objects exist any more
 * - `unknown`: it cannot be asked
 */
export type Served =
  | { readonly kind: 'served' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'deleted' }
  | { readonly kind: 'unknown'; readonly message: string };

/** The kinds that the API serves, as they come and go. */
export interface ServedKinds {
  /**
   * Emits as soon as it is known and whenever it changes; never errors, never completes. Shared: one request per version,
   * however many kinds of it are asked for.
   */
  served(apiVersion: string, resources: string): Observable<Served>;
}

export interface ServedKindsDeps {
  readonly read: ReadJson;
  /** Changes of CustomResourceDefinitions: what makes anything be asked again. */
  readonly changes$: Observable<CustomKindChange>;
  readonly random: () => number;
  readonly stop$?: Observable<unknown>;
  readonly policy?: ServedKindsPolicy;
}

/** Milliseconds. */
export interface ServedKindsPolicy {
  readonly backoff: BackoffPolicy;
  /** A definition changes several times until it is served: so long its changes are gathered. */
  readonly settle: number;
  /**
   * When to ask again after a change, each counted from the one before: the API serves what a definition says some time after it
   * was written. Of what was there at the beginning only the last counts.
   */
  readonly followUps: readonly number[];
  /** Between two looks at a version that is not served, for what no definition tells (aggregated APIs). */
  readonly recheck: number;
}

const defaultServedKindsPolicy: ServedKindsPolicy = {
  backoff: { min: 400, max: 30_000, factor: 2, jitter: 0.25, resetAfter: 120_000 },
  settle: 250,
  followUps: [300, 1_200, 4_000, 8_000],
  recheck: 60_000,
};

/** Kubernetes' own groups, which no definition of a user can add to. */
const ownGroups = new Set([
  '',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'apps',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
]);

/** Whether a version belongs to Kubernetes itself. */
export function isOwnGroup(apiVersion: string): boolean {
  return ownGroups.has(groupOf(apiVersion));
}

/** What one version has: its kinds, none, or no answer. */
type Version =
  | { readonly kind: 'known'; readonly resources: ReadonlySet<string> }
  | { readonly kind: 'unknown'; readonly message: string };

/**
 * Asks the API which kinds it serves, once per version that somebody is interested in, and again when a definition of its group
 * changed: a burst of a few requests, since serving follows the definition with a delay. Nothing is polled but versions that
 * are not served, once a minute, and those whose question failed, with backoff.
 */
export function createServedKinds(deps: ServedKindsDeps): ServedKinds {
  const policy = deps.policy ?? defaultServedKindsPolicy;
  const versions = new Map<string, Observable<Version>>();

  const versionOf = (apiVersion: string): Observable<Version> => {
    let version$ = versions.get(apiVersion);
    if (version$ === undefined) {
      version$ = defer(() => follow(deps, policy, apiVersion)).pipe(
        takeUntil(deps.stop$ ?? NEVER),
        share({ connector: () => new ReplaySubject(1), resetOnRefCountZero: true }),
      );
      versions.set(apiVersion, version$);
    }
    return version$;
  };

  return {
    served: (apiVersion, resources) =>
      defer(() => {
        const name = `${resources}.${groupOf(apiVersion)}`;
        const deleted$ = isOwnGroup(apiVersion)
          ? of(false)
          : deps.changes$.pipe(
              filter((change) => change.name === name),
              map(({ kind }) => kind === 'deleted'),
              startWith(false),
            );
        // Half-updated pairs say what was or will be true, and the next one follows at once.
        return combineLatest([versionOf(apiVersion), deleted$]).pipe(
          map(([version, isDeleted]) => servedOf(version, resources, isDeleted)),
          distinctUntilChanged((a, b) => a.kind === b.kind),
        );
      }),
  };
}

function servedOf(version: Version, resources: string, isDeleted: boolean): Served {
  if (version.kind === 'unknown') return version;
  if (version.resources.has(resources)) return { kind: 'served' };
  return { kind: isDeleted ? 'deleted' : 'missing' };
}

function follow(
  { read, changes$, random }: ServedKindsDeps,
  policy: ServedKindsPolicy,
  apiVersion: string,
): Observable<Version> {
  const ask$ = defer(() => read({ path: discoveryPath(apiVersion) })).pipe(map(versionOf));
  /** Until there is an answer; the first failure is told, the others change nothing. */
  const answer$ = ask$.pipe(
    map((version) => ({ version, attempt: 0 })),
    expand(({ version, attempt }) =>
      version.kind === 'known'
        ? EMPTY
        : timer(backoffDelay(policy.backoff, attempt, random())).pipe(
            concatMap(() => ask$.pipe(map((next) => ({ version: next, attempt: attempt + 1 })))),
          ),
    ),
    map(({ version }) => version),
  );
  const recheck$ = defer(() => timer(spread(policy.recheck, policy.backoff.jitter, random()))).pipe(
    concatMap(() => answer$),
  );
  /** For as long as there is nothing. */
  const settled$ = answer$.pipe(
    expand((version) => (isEmpty(version) ? recheck$ : EMPTY)),
    takeWhile((version) => version.kind === 'unknown' || isEmpty(version), true),
  );
  if (isOwnGroup(apiVersion)) return settled$.pipe(keepKnown());
  const group = groupOf(apiVersion);
  const burst = (delays: readonly number[]): Observable<Version> =>
    concat(of(0), ...delays.map((ms) => timer(ms))).pipe(
      concatMap(() => ask$),
      filter((version) => version.kind === 'known'),
    );
  const changed$ = changes$.pipe(
    filter(({ name }) => name.slice(name.indexOf('.') + 1) === group),
    debounceMax(policy.settle),
  );
  return merge(
    settled$,
    changed$.pipe(switchMap(({ kind }) => burst(policy.followUps.slice(kind === 'listed' ? -1 : 0)))),
  ).pipe(keepKnown());
}

/** What was known stands for as long as the API cannot be asked again. */
function keepKnown(): (version$: Observable<Version>) => Observable<Version> {
  return (version$) =>
    concat(version$, NEVER).pipe(
      scan((known, next) => (next.kind === 'unknown' && known.kind === 'known' ? known : next)),
      distinctUntilChanged(isSameVersion),
    );
}

function isSameVersion(a: Version, b: Version): boolean {
  if (a.kind === 'unknown' || b.kind === 'unknown') return a.kind === b.kind;
  return a.resources.size === b.resources.size && [...a.resources].every((name) => b.resources.has(name));
}

function isEmpty(version: Version): boolean {
  return version.kind === 'known' && version.resources.size === 0;
}

function versionOf(result: KubeResult<unknown>): Version {
  if (!result.ok) {
    const { failure } = result;
    // A version that is not served at all has no document.
    if (failure.kind === 'http' && failure.status === 404) return { kind: 'known', resources: new Set() };
    return { kind: 'unknown', message: describeFailure(failure) };
  }
  const list = isRecord(result.value) ? result.value['resources'] : undefined;
  if (!Array.isArray(list)) return { kind: 'unknown', message: 'the answer is no list of resources' };
  const names = list.flatMap((entry: unknown) =>
    isRecord(entry) && typeof entry['name'] === 'string' && !entry['name'].includes('/')
      ? [entry['name']]
      : [],
  );
  return { kind: 'known', resources: new Set(names) };
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash === -1 ? '' : apiVersion.slice(0, slash);
}

function discoveryPath(apiVersion: string): string {
  const parts = [apiVersion.includes('/') ? 'apis' : 'api', ...apiVersion.split('/')];
  return parts.map((part) => `/${encodeURIComponent(part)}`).join('');
}
