import { NEVER, type Observable, ReplaySubject, share, takeUntil, tap, timer } from 'rxjs';
import type { ReadJson } from '../kube/read-json.ts';
import { customKinds } from './custom-kinds.ts';
import { listWatch, type ListWatchDeps, type ListWatchResource, type StopDeps } from './list-watch.ts';
import { selectedNamespaces, type NamespaceEvent } from './selected-namespaces.ts';
import { createServedKinds, type ServedKinds, type ServedKindsPolicy } from './served-kinds.ts';
import type { WatchEvent } from './watch-event.ts';
import { noticeOf, type WatchNotice } from './watch-notice.ts';

/** What several watched resources need to know of the cluster, watched once for all of them. */
export interface WatchSources {
  readonly kinds: ServedKinds;
  /** Late subscribers get the newest set of names at once. */
  readonly namespaces: (selector: string) => Observable<NamespaceEvent>;
}

export interface WatchSourcesDeps extends ListWatchDeps, StopDeps {
  readonly read: ReadJson;
  readonly servedPolicy?: ServedKindsPolicy;
  /** Told what these watches say about themselves; the resources are called as the API calls them. */
  readonly notice?: (notice: WatchNotice) => void;
}

/** A configuration may be replaced by one that needs the same. */
const keepMs = 30_000;

/**
 * Watches definitions of kinds and Namespaces, each by metadata only, and only for as long as a watched resource asks (and 30 s
 * more). The streams never complete but with `deps.stop$`, and never error.
 */
export function createWatchSources(deps: WatchSourcesDeps): WatchSources {
  const stop$ = deps.stop$ ?? NEVER;
  const watch = (resource: ListWatchResource): Observable<WatchEvent> =>
    listWatch(deps, { ...resource, metadataOnly: true }).pipe(
      tap((event) => {
        const notice = noticeOf(resource.resources, event);
        if (notice !== undefined) deps.notice?.(notice);
      }),
    );
  const changes$ = watch({
    apiVersion: 'apiextensions.k8s.io/v1',
    resources: 'customresourcedefinitions',
  }).pipe(customKinds(), takeUntil(stop$), share({ resetOnRefCountZero: () => timer(keepMs) }));
  const bySelector = new Map<string, Observable<NamespaceEvent>>();

  return {
    kinds: createServedKinds({
      read: deps.read,
      changes$,
      random: deps.random,
      stop$,
      ...(deps.servedPolicy && { policy: deps.servedPolicy }),
    }),
    namespaces: (labelSelector) => {
      let namespaces$ = bySelector.get(labelSelector);
      if (namespaces$ === undefined) {
        namespaces$ = selectedNamespaces(
          watch({ apiVersion: 'v1', resources: 'namespaces', labelSelector }),
        ).pipe(
          takeUntil(stop$),
          share({ connector: () => new ReplaySubject(1), resetOnRefCountZero: () => timer(keepMs) }),
        );
        bySelector.set(labelSelector, namespaces$);
      }
      return namespaces$;
    },
  };
}
