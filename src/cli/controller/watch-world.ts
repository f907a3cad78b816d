import { BehaviorSubject, type Observable, combineLatest, map } from 'rxjs';
import type { Taps } from '../../operators/taps.ts';
import type { Metrics } from '../../sinks/metrics.ts';
import { type WatchResourceDeps, watchResource } from '../../streams/watch-resource.ts';
import type { World } from '../../world/build-world.ts';

export interface WatchWorldDeps {
  readonly watch: Omit<WatchResourceDeps, 'store'>;
  readonly metrics: Metrics;
  readonly taps: Taps;
}

export interface WatchedWorlds {
  /** Tokens of all watched kinds: the first when every store is there, then one whenever something changed. */
  readonly changes: (world: World) => Observable<World>;
  /** Kinds that must be there and are not. */
  readonly missing: () => readonly string[];
}

/** Keeps the stores of a configuration equal to what Kubernetes says. */
export function watchWorld(deps: WatchWorldDeps, kinds: readonly string[]): WatchedWorlds {
  const { metrics, taps } = deps;
  const missing = new BehaviorSubject<ReadonlySet<string>>(new Set(kinds));

  const changes = (world: World): Observable<World> => {
    const tokens = Object.entries(world.config.watchedResources).map(([name, resource]) => {
      const store = world.stores.get(name);
      if (store === undefined) throw new Error(`no store for ${name}`);
      return watchResource({ ...deps.watch, store: () => store }, name, resource).pipe(
        taps.point(`resources.${name}`, (token) => token),
        map((token) => {
          metrics.resources.set({ type: name }, store.size);
          // A kind that must be there holds readiness up, not the pipeline: the others are served.
          const isMissing = token.kind === 'absent' && resource.optional !== true;
          if (!isMissing && missing.value.has(name))
            missing.next(new Set([...missing.value].filter((other) => other !== name)));
          return token;
        }),
      );
    });
    return combineLatest(tokens).pipe(map(() => world));
  };

  return { changes, missing: () => [...missing.value] };
}
