import { NEVER, type Observable, ReplaySubject, share, takeUntil, timer } from 'rxjs';
import type { ReadJson } from '../kube/read-json.ts';
import { customKinds } from './custom-kinds.ts';
import { listWatch, type ListWatchDeps, type StopDeps } from './list-watch.ts';
import { selectedNamespaces, type NamespaceEvent } from './selected-namespaces.ts';
import { createServedKinds, type ServedKinds, type ServedKindsPolicy } from './served-kinds.ts';

/** What several watched resources need to know of the cluster, watched once for all of them. */
export interface WatchSources {
  readonly kinds: ServedKinds;
  /** Late subscribers get the newest set of names at once. */
  readonly namespaces: (selector: string) => Observable<NamespaceEvent>;
}

export interface WatchSourcesDeps extends ListWatchDeps, StopDeps {
  readonly read: ReadJson;
  readonly servedPolicy?: ServedKindsPolicy;
}

/** A configuration may be replaced by one that needs the same. */
const keepMs = 30_000;

/**
 * Watches definitions of kinds and Namespaces, each by metadata only, and only for as long as a watched resource asks (and 30 s
 * more). The streams never complete but with `deps.stop$`, and never error.
 */
export function createWatchSources(deps: WatchSourcesDeps): WatchSources {
  const stop$ = deps.stop$ ?? NEVER;
  const definitions = {
    apiVersion: 'apiextensions.k8s.io/v1',
    resources: 'customresourcedefinitions',
    metadataOnly: true,
  };
  const changes$ = listWatch(deps, definitions).pipe(
    customKinds(),
    takeUntil(stop$),
    share({ resetOnRefCountZero: () => timer(keepMs) }),
  );
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
        const resource = { apiVersion: 'v1', resources: 'namespaces', labelSelector, metadataOnly: true };
        namespaces$ = selectedNamespaces(listWatch(deps, resource)).pipe(
          takeUntil(stop$),
          share({ connector: () => new ReplaySubject(1), resetOnRefCountZero: () => timer(keepMs) }),
        );
        bySelector.set(labelSelector, namespaces$);
      }
      return namespaces$;
    },
  };
}
