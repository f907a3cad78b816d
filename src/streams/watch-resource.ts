import {
  defer,
  EMPTY,
  filter,
  finalize,
  identity,
  map,
  merge,
  NEVER,
  ReplaySubject,
  scan,
  share,
  switchMap,
  takeUntil,
  tap,
  timer,
  type MonoTypeOperatorFunction,
  type Observable,
} from 'rxjs';
import type { KubeObject } from '../api/kube-object.ts';
import type { Arrival, OnDemandCache } from '../collections/on-demand-cache.ts';
import type { ReadJson } from '../kube/read-json.ts';
import { coalesce } from '../operators/coalesce.ts';
import { debounceMax } from '../operators/debounce-max.ts';
import { defaultFetchPolicy, fetchObjects, type FetchPolicy } from './fetch-objects.ts';
import type { StopDeps } from './list-watch.ts';
import { readObject } from './read-object.ts';
import { reflect, type ReflectStore } from './reflect.ts';
import { resolveVersion, type ResolvedVersion } from './resolve-version.ts';
import type { ResourceToken } from './resource-token.ts';
import { watchEvents, type WatchEventsDeps } from './watch-events.ts';
import { noticeOf, type WatchNotice } from './watch-notice.ts';
import type { WatchSources } from './watch-sources.ts';
import type { WatchSpec } from './watch-spec.ts';

export interface WatchResourceDeps extends WatchEventsDeps, StopDeps {
  /** Absent: the first of several versions is taken for the served one, and no namespace is selected. */
  readonly sources?: WatchSources;
  /** Reads single objects, for stores on demand. */
  readonly read?: ReadJson;
  readonly fetchPolicy?: Omit<FetchPolicy, 'expireEvery'>;
  /** Told what came of each object that was to be read on demand. */
  readonly onRead?: (resource: string, result: Arrival['kind']) => void;
  /** Told that the watch begins; what this returns is called when it has ended. */
  readonly begun?: (resource: string) => () => void;
  /** Told what the watch says about itself, as it happens; not debounced, and also before the first token. */
  readonly notice: (notice: WatchNotice) => void;
}

/** Where a watched resource is kept; written by its stream alone. */
export interface WatchTarget {
  /** Objects; references to them where they are stored on demand. */
  readonly store: ReflectStore;
  /** Objects that were read, where they are stored on demand. */
  readonly cache?: OnDemandCache<KubeObject>;
}

/** A configuration may be replaced by one that watches the same: the watch outlives the gap. */
const keepMs = 30_000;
/** What is read for many at a time comes in portions. */
const arrivalsMs = 10;
/** How often a time to live is looked after within it. */
const looksPerTtl = 4;

/**
 * A watched resource as tokens: version → list+watch → store → token, at most one token per `debounceInterval` (leading and
 * trailing; `"0"` coalesces what one network chunk brought and nothing more). What was read on demand is told at once, and in a burst at most every 10 ms.
 *
 * Shared: one watch however many subscribe, and late subscribers get the newest token at once; it ends 30 s after the
 * last one left, or with `deps.stop$`. Loss policy: the newest token wins within a window (tokens are cumulative). Never errors, never
 * completes.
 */
export function watchResource(
  deps: WatchResourceDeps,
  spec: WatchSpec,
  target: WatchTarget,
): Observable<ResourceToken> {
  return defer(() => {
    const ended = deps.begun?.(spec.name);
    const version$ = resolveVersion(deps.sources?.kinds, spec.apiVersions, spec.resources).pipe(
      share({ connector: () => new ReplaySubject(1), resetOnRefCountZero: true }),
    );
    const token$ = watchEvents(deps, spec, version$).pipe(
      tap((event) => {
        const notice = noticeOf(spec.name, event);
        if (notice !== undefined) deps.notice(notice);
      }),
      reflect(spec.name, target.cache === undefined ? target.store : dropping(target.store, target.cache)),
      coalesce(),
      debounced(spec.debounceMs),
    );
    const all$ =
      target.cache === undefined
        ? token$
        : withArrivals(token$, arrivalsOf(deps, spec, target.cache, version$));
    return all$.pipe(finalize(() => ended?.()));
  }).pipe(
    takeUntil(deps.stop$ ?? NEVER),
    share({ connector: () => new ReplaySubject(1), resetOnRefCountZero: () => timer(keepMs) }),
  );
}

function debounced<T>(windowMs: number): MonoTypeOperatorFunction<T> {
  return windowMs === 0 ? identity : debounceMax(windowMs);
}

/** The same store; what leaves it is forgotten by the cache, too. */
function dropping(store: ReflectStore, cache: OnDemandCache<KubeObject>): ReflectStore {
  return {
    set: (key, reference) => store.set(key, reference),
    delete: (key) => {
      store.delete(key);
      cache.forget(key);
    },
    replace: (entries) => {
      const references = new Map(entries);
      store.replace(references);
      cache.retain(references);
    },
  };
}

function arrivalsOf(
  deps: WatchResourceDeps,
  spec: WatchSpec,
  cache: OnDemandCache<KubeObject>,
  version$: Observable<ResolvedVersion>,
): Observable<void> {
  const { read } = deps;
  if (read === undefined || spec.store.kind === 'full') return EMPTY;
  const expireEvery = spec.store.cacheTtlMs / looksPerTtl;
  return version$.pipe(
    // A source, not work: what is wanted is wanted of the new version, too.
    switchMap((resolved) =>
      resolved.kind === 'served'
        ? fetchObjects({
            cache,
            read: readObject(read, resolved.apiVersion, spec),
            random: deps.random,
            policy: { ...(deps.fetchPolicy ?? defaultFetchPolicy), expireEvery },
            told: (result) => deps.onRead?.(spec.name, result),
          })
        : EMPTY,
    ),
    debounceMax(arrivalsMs),
  );
}

/** Every arrival is a change of the store, in the condition that it is in. */
function withArrivals(
  token$: Observable<ResourceToken>,
  arrival$: Observable<void>,
): Observable<ResourceToken> {
  return merge(token$, arrival$.pipe(map(() => undefined))).pipe(
    scan(
      ({ token, arrivals }, next) => ({
        token: next ?? (token?.kind === 'degraded' ? token : asChanged(token)),
        arrivals: arrivals + (next === undefined ? 1 : 0),
      }),
      { token: undefined as ResourceToken | undefined, arrivals: 0 },
    ),
    map(({ token, arrivals }) => token && { ...token, revision: token.revision + arrivals }),
    filter((token) => token !== undefined),
  );
}

function asChanged(token: ResourceToken | undefined): ResourceToken | undefined {
  return token && { kind: 'changed', resource: token.resource, revision: token.revision };
}
