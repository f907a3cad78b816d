import {
  identity,
  NEVER,
  ReplaySubject,
  share,
  takeUntil,
  tap,
  timer,
  type MonoTypeOperatorFunction,
  type Observable,
} from 'rxjs';
import { apiVersionsOf } from '../api/api-versions-of.ts';
import type { WatchedResource } from '../api/template-config.ts';
import { parseDuration } from '../lib/duration.ts';
import { coalesce } from '../operators/coalesce.ts';
import { debounceMax } from '../operators/debounce-max.ts';
import { listWatch, type ListWatchDeps, type ListWatchResource, type StopDeps } from './list-watch.ts';
import { reflect, type ReflectStore } from './reflect.ts';
import type { ResourceToken } from './resource-token.ts';
import { noticeOf, type WatchNotice } from './watch-notice.ts';

export interface WatchResourceDeps extends ListWatchDeps, StopDeps {
  /** The store of a watched resource; written by this stream alone. */
  readonly store: (resource: string) => ReflectStore;
  /** Told what the watch says about itself, as it happens; not debounced, and also before the first token. */
  readonly notice: (notice: WatchNotice) => void;
}

const defaultDebounce = '100ms';
/** A configuration may be replaced by one that watches the same: the watch outlives the gap. */
const keepMs = 30_000;

/**
 * A watched kind as tokens: list+watch → store → token, at most one token per `debounceInterval` (leading and trailing;
 * `"0"` coalesces what one network chunk brought and nothing more).
 *
 * Shared: one watch however many subscribe, and late subscribers get the newest token at once; it ends 30 s after the
 * last one left, or with `deps.stop$`. Loss policy: the newest token wins within a window (tokens are cumulative). Never errors, never
 * completes.
 *
 * @param name of the entry in `watchedResources`
 * @throws CodedError `HAPTIC_ERR_CONFIG_DURATION` at once, when `debounceInterval` is none
 */
export function watchResource(
  deps: WatchResourceDeps,
  name: string,
  resource: WatchedResource,
): Observable<ResourceToken> {
  return listWatch(deps, refOf(resource)).pipe(
    tap((event) => {
      const notice = noticeOf(name, event);
      if (notice !== undefined) deps.notice(notice);
    }),
    reflect(name, deps.store(name)),
    coalesce(),
    debounced(resource, `watchedResources.${name}.debounceInterval`),
    takeUntil(deps.stop$ ?? NEVER),
    share({ connector: () => new ReplaySubject(1), resetOnRefCountZero: () => timer(keepMs) }),
  );
}

function debounced<T>(resource: WatchedResource, field: string): MonoTypeOperatorFunction<T> {
  const windowMs = parseDuration(resource.debounceInterval ?? defaultDebounce, field);
  return windowMs === 0 ? identity : debounceMax(windowMs);
}

function refOf(resource: WatchedResource): ListWatchResource {
  const { resources, labelSelector, fieldSelector } = resource;
  const [apiVersion = ''] = apiVersionsOf(resource);
  return {
    apiVersion,
    resources,
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  };
}
