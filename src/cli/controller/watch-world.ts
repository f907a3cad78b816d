import {
  type MonoTypeOperatorFunction,
  type Observable,
  Subject,
  combineLatest,
  map,
  of,
  pipe,
  tap,
} from 'rxjs';
import type { Taps } from '../../operators/taps.ts';
import type { Metrics } from '../../sinks/metrics.ts';
import type { StoreEdit } from '../../sinks/recording.ts';
import type { ReflectStore } from '../../streams/reflect.ts';
import type { ResourceToken } from '../../streams/resource-token.ts';
import { type WatchResourceDeps, type WatchTarget, watchResource } from '../../streams/watch-resource.ts';
import type { WatchSpec } from '../../streams/watch-spec.ts';
import type { LiveWorld } from '../../world/open-world.ts';

export interface WatchWorldDeps {
  readonly watch: WatchResourceDeps;
  readonly metrics: Metrics;
  readonly taps: Taps;
}

export interface WatchedWorlds {
  /** For the hub of resources. */
  readonly watch: (spec: WatchSpec, target: WatchTarget) => Observable<ResourceToken>;
  /** Tokens of all watched kinds: the first when every store is there, then one whenever something changed. */
  readonly changes: (world: LiveWorld) => Observable<LiveWorld>;
  /** Tells metrics how many objects the last render of the configuration at work was made of. */
  readonly count: (world: LiveWorld) => void;
  /** What is written into the stores, at the moment when it arrives: before it is debounced, and often. */
  readonly edit$: Observable<StoreEdit>;
  /** Kinds that must be there and are not. */
  readonly missing: (world: LiveWorld) => readonly string[];
}

/** Keeps the stores of configurations equal to what Kubernetes says. */
export function watchWorld({ watch, metrics, taps }: WatchWorldDeps): WatchedWorlds {
  /** The newest token, by store. */
  const tokens = new WeakMap<object, ResourceToken>();
  const edits = new Subject<StoreEdit>();
  const points = new Map<string, MonoTypeOperatorFunction<ResourceToken>>();
  /** Configurations come and go, taps stay: two stores of one name share one. */
  const pointOf = (name: string): MonoTypeOperatorFunction<ResourceToken> => {
    const point = points.get(name) ?? taps.point<ResourceToken>(`resources.${name}`, (token) => token);
    points.set(name, point);
    return point;
  };

  /** How many watches of a name there are: the former one goes on for a while beside that of a new configuration. */
  const running = new Map<string, number>();
  const begun = (type: string) => {
    running.set(type, (running.get(type) ?? 0) + 1);
    return () => {
      const left = (running.get(type) ?? 0) - 1;
      if (left > 0) running.set(type, left);
      else {
        running.delete(type);
        metrics.watchDegraded.remove({ type });
        metrics.onDemandObjects.remove({ type });
      }
    };
  };
  let counted: ReadonlySet<string> = new Set();
  const count = ({ stores }: LiveWorld): void => {
    for (const type of counted) if (!stores.has(type)) metrics.resources.remove({ type });
    for (const [type, { size }] of stores) metrics.resources.set({ type }, size);
    counted = new Set(stores.keys());
  };

  return {
    watch: (spec, target) =>
      watchResource(
        { ...watch, begun, onRead: (type, result) => metrics.onDemandReads.inc({ type, result }) },
        spec,
        { ...target, store: announcing(spec.name, target.store, edits) },
      ).pipe(
        pipe(
          pointOf(spec.name),
          tap((token) => {
            tokens.set(target.store, token);
            if (target.cache !== undefined)
              metrics.onDemandObjects.set({ type: spec.name }, target.cache.size);
          }),
        ),
      ),
    count,
    edit$: edits,
    changes: (world) => {
      const changed = [...world.tokens.values()];
      // Nothing to watch is nothing to wait for.
      return changed.length === 0 ? of(world) : combineLatest(changed).pipe(map(() => world));
    },
    missing: ({ stores, config }) =>
      [...stores].flatMap(([name, store]) => {
        const token = tokens.get(store);
        // A kind that must be there holds readiness up, not the pipeline: the others are served.
        const isMissing =
          token === undefined ||
          (token.kind === 'absent' && config.watchedResources[name]?.optional !== true);
        return isMissing ? [name] : [];
      }),
  };
}

/** The same store; each edit is told of before it is made. */
function announcing(resource: string, store: ReflectStore, edits: Subject<StoreEdit>): ReflectStore {
  return {
    set: (key, object) => {
      edits.next({ resource, op: 'set', key, object });
      store.set(key, object);
    },
    delete: (key) => {
      edits.next({ resource, op: 'delete', key });
      store.delete(key);
    },
    replace: (entries) => {
      const objects = [...entries];
      edits.next({ resource, op: 'replace', objects });
      store.replace(objects);
    },
  };
}
