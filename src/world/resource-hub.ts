import { type Observable, Subscription, timer } from 'rxjs';
import { factResources, secretResource } from '../api/fact-resources.ts';
import type { TemplateConfig } from '../api/template-config.ts';
import type { ResourceToken } from '../streams/resource-token.ts';
import type { WatchTarget } from '../streams/watch-resource.ts';
import { type WatchSpec, watchKey, watchSpecOf } from '../streams/watch-spec.ts';
import { buildFacts, factOptionsOf, type Facts, refuseFactsOnDemand } from './build-facts.ts';
import type { WorldGround } from './build-world.ts';
import { createLiveStore, type LiveStore } from './live-store.ts';

export interface ResourceHubDeps {
  /**
   * Keeps a store equal to what Kubernetes says. Shared: one watch however many subscribe, and late subscribers get the newest
   * token at once; it outlives its last subscriber by a while.
   */
  readonly watch: (spec: WatchSpec, target: WatchTarget) => Observable<ResourceToken>;
  /** Milliseconds for which a store is kept when no configuration looks at it any more. */
  readonly keep: number;
  /** Milliseconds, monotonic, never 0. */
  readonly now: () => number;
  /** See {@link factOptionsOf}. */
  readonly constants: Readonly<Record<string, unknown>>;
}

/** What a configuration stands on, for as long as it is not let go. */
export interface HeldGround extends WorldGround {
  /** By name in `watchedResources`; shared with every configuration that watches the same. */
  readonly tokens: ReadonlyMap<string, Observable<ResourceToken>>;
  /** May be called again, to no effect. */
  readonly release: () => void;
}

/** Stores, watches and facts, shared by all configurations that watch the same: those of a new one are there already. */
export interface ResourceHub {
  /** @throws CodedError when an entry of `watchedResources` is wrong, see `watchSpecOf` and `refuseFactsOnDemand` */
  hold(config: TemplateConfig): HeldGround;
  /** How many there are. */
  counts(): { readonly stores: number; readonly facts: number };
  /** Forgets what nobody holds, and from now on what is let go at once; what is held stays usable. */
  dispose(): void;
}

interface Shared<T> {
  readonly value: T;
  holders: number;
  /** Until it is forgotten. */
  wait: Subscription;
}

/** A share of something. */
interface Held<T> {
  readonly value: T;
  readonly release: () => void;
}

interface Watched {
  readonly live: LiveStore;
  readonly token$: Observable<ResourceToken>;
}

/** Makes an empty hub. */
export function createResourceHub({ watch, keep, now, constants }: ResourceHubDeps): ResourceHub {
  const stores = new Map<string, Shared<Watched>>();
  const facts = new Map<string, Shared<Facts>>();
  let isOver = false;
  const keepFor = (): number => (isOver ? 0 : keep);

  const holdWatched = (spec: WatchSpec) =>
    holdShared(stores, watchKey(spec), keepFor, () => {
      const onDemand = spec.store.kind === 'on-demand' ? { ...spec.store, now } : undefined;
      const live = createLiveStore(spec.name, onDemand);
      return { live, token$: watch(spec, live) };
    });

  return {
    hold(config) {
      refuseFactsOnDemand(config.watchedResources);
      const specs = Object.entries(config.watchedResources).map(([name, resource]) =>
        watchSpecOf(name, resource, config),
      );
      const held = new Map<string, Held<Watched>>();
      const releaseStores = (): void => {
        for (const { release } of held.values()) release();
      };
      const options = factOptionsOf(config, constants);
      const holdAll = (): Held<Facts> => {
        for (const spec of specs) held.set(spec.name, holdWatched(spec));
        const ofStores = new Map([...held].map(([name, { value }]) => [name, value.live] as const));
        const keyOf = (name: string) => specs.filter((spec) => spec.name === name).map(watchKey);
        return holdShared(
          facts,
          JSON.stringify([[...factResources, secretResource].map(keyOf), options]),
          () => 0,
          () => buildFacts(ofStores, options),
          (gone) => gone.dispose(),
        );
      };
      let heldFacts: Held<Facts>;
      try {
        heldFacts = holdAll();
      } catch (error) {
        releaseStores();
        throw error;
      }
      let isHeld = true;
      return {
        stores: new Map([...held].map(([name, { value }]) => [name, value.live] as const)),
        facts: heldFacts.value,
        tokens: new Map([...held].map(([name, { value }]) => [name, value.token$] as const)),
        release() {
          if (!isHeld) return;
          isHeld = false;
          heldFacts.release();
          releaseStores();
        },
      };
    },
    counts: () => ({ stores: stores.size, facts: facts.size }),
    dispose: () => {
      isOver = true;
      for (const [key, { holders, wait }] of stores) {
        wait.unsubscribe();
        if (holders === 0) stores.delete(key);
      }
    },
  };
}

/** The one under a key: made for the first who holds it, forgotten `keepFor()` ms after the last one let go; at once where that is 0. */
function holdShared<T>(
  all: Map<string, Shared<T>>,
  key: string,
  keepFor: () => number,
  make: () => T,
  onGone: (value: T) => void = () => undefined,
): Held<T> {
  const known = all.get(key);
  const shared = known ?? { value: make(), holders: 0, wait: Subscription.EMPTY };
  shared.wait.unsubscribe();
  shared.holders++;
  all.set(key, shared);
  const forget = (): void => {
    all.delete(key);
    onGone(shared.value);
  };
  return {
    value: shared.value,
    release() {
      shared.holders--;
      if (shared.holders > 0) return;
      const keep = keepFor();
      if (keep === 0) forget();
      else
        shared.wait = timer(keep).subscribe({
          next: forget,
          error: (error: unknown) => {
            throw error;
          },
        });
    },
  };
}
