import { LRUCache } from 'lru-cache';
import { concat, defer, from, type Observable, Subject } from 'rxjs';
import type { SourceCollection } from './types.ts';

/**
 * What became of the last attempt to read an object. Attempts are numbered, so that readers of this are run again after each.
 *
 * - `here`: it was read
 * - `gone`: it does not exist any more
 * - `failed`: it could not be read; who needs it asks again
 */
export type Arrival =
  | { readonly kind: 'here'; readonly attempt: number }
  /** `version`: of the reference by which it was not found; another one is another object. */
  | { readonly kind: 'gone'; readonly attempt: number; readonly version: string | undefined }
  | { readonly kind: 'failed'; readonly attempt: number; readonly message: string };

type DistributedOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** An object that somebody needs. */
export interface Want {
  readonly key: string;
  /** Version of the reference by which it is known. */
  readonly version: string | undefined;
  /** Attempts that failed since the last that did not. */
  readonly failures: number;
}

/** Objects of which only references are held: those that were read for somebody, within bounds, and what is still wanted. */
export interface OnDemandCache<V> {
  /** By key, of every object that was ever asked for. Whoever asks has to look here first, tracked: this is what runs it again. */
  readonly arrivals: SourceCollection<Arrival>;
  /** The object, if it is held: `fresh` as the reference has it (or newer), else `stale`. Keeps it for another time to live. */
  look(
    key: string,
    version: string | undefined,
  ): { readonly isFresh: boolean; readonly value: V } | undefined;
  /** Asks for an object. No news while an attempt for it is due or under way. */
  want(key: string, version: string | undefined): void;
  /** Somebody has made use of these: they are held within the bounds only, from the next attempt or clean-up on. */
  used(keys: Iterable<string>): void;

  /** All that is wanted, then whatever is from now on. */
  readonly wanted$: Observable<Want>;
  /** Keys whose objects nobody can want any more. */
  readonly dropped$: Observable<string>;
  arrived(want: Want, value: V): void;
  gone(want: Want): void;
  failed(want: Want, message: string): void;
  /** Whoever waits for an object that was never read is told that it did not come in time; it is read nevertheless. */
  giveUp(message: string): void;
  /** The object does not exist any more. */
  forget(key: string): void;
  /** The same for all but these. */
  retain(keys: ReadonlyMap<string, unknown>): void;
  /** Lets go what was not asked for within the time to live. */
  expire(): void;

  /** Objects that are wanted for the first time: neither read nor failed yet. */
  readonly waiting: number;
  /** Attempts that have ended. */
  readonly attempts: number;
  /** Emits when nothing is waiting any more. */
  readonly settled$: Observable<void>;
  /** Objects held. */
  readonly size: number;
  /** They themselves; looking does not keep them. */
  held(): Iterable<V>;
}

export interface OnDemandCacheOptions<V> {
  /** Objects held besides those that were read and not used yet. */
  readonly max: number;
  /** Milliseconds; 0: no bound. */
  readonly ttl: number;
  /** Milliseconds, monotonic, never 0. */
  readonly now: () => number;
  readonly versionOf: (value: V) => string | undefined;
}

interface Entry<V> {
  readonly value: V;
  /** Version of the reference for which it was read; the object itself may be newer than the watch has told. */
  readonly wantedVersion: string | undefined;
  readonly readAt: number;
}

/**
 * The store behind `store: on-demand`: references are held elsewhere, here are the objects that were read for somebody. What was
 * read stays until it was used, however many that are, so that one reader of more objects than fit gets them all; what was used
 * stays within `max`, least recently used first, and `ttl`. Evicting tells nobody: what was made of the object stands, and a
 * reader that runs again asks anew.
 */
export function createOnDemandCache<V extends object>(
  arrivals: SourceCollection<Arrival>,
  { max, ttl, now, versionOf }: OnDemandCacheOptions<V>,
): OnDemandCache<V> {
  const unused = new Map<string, Entry<V>>();
  const usedKeys = new Set<string>();
  const cache = new LRUCache<string, Entry<V>>({
    max,
    ttl,
    updateAgeOnGet: true,
    // Its own clock would be a timer.
    ttlResolution: 0,
    perf: { now },
  });
  const outstanding = new Map<string, Want>();
  const failures = new Map<string, number>();
  /** Keys of `arrivals`, which cannot be looked at while readers run. */
  const attempted = new Set<string>();
  /** Outstanding, and never attempted before. */
  const firsts = new Set<string>();
  const wants = new Subject<Want>();
  const dropped = new Subject<string>();
  const settled = new Subject<void>();
  let attempt = 0;

  const end = (key: string): void => {
    outstanding.delete(key);
    if (firsts.delete(key) && firsts.size === 0) settled.next();
  };
  /** Not when they are used: for as long as readers run, all of them must see the same. */
  const release = (): void => {
    for (const key of usedKeys) {
      const entry = unused.get(key);
      unused.delete(key);
      if (entry !== undefined) cache.set(key, entry);
    }
    usedKeys.clear();
  };
  const tell = (key: string, arrival: DistributedOmit<Arrival, 'attempt'>): void => {
    release();
    attempted.add(key);
    arrivals.set(key, { ...arrival, attempt: ++attempt });
    end(key);
  };
  const forget = (key: string): void => {
    unused.delete(key);
    usedKeys.delete(key);
    cache.delete(key);
    failures.delete(key);
    if (attempted.delete(key)) arrivals.delete(key);
    dropped.next(key);
    end(key);
  };

  return {
    arrivals,
    look: (key, version) => {
      const entry = unused.get(key) ?? cache.get(key);
      if (entry === undefined) return undefined;
      const isFresh =
        version === undefined || version === entry.wantedVersion || version === versionOf(entry.value);
      return { isFresh, value: entry.value };
    },
    want: (key, version) => {
      if (outstanding.has(key)) return;
      const want = { key, version, failures: failures.get(key) ?? 0 };
      outstanding.set(key, want);
      if (!attempted.has(key)) firsts.add(key);
      wants.next(want);
    },
    used: (keys) => {
      for (const key of keys) if (unused.has(key)) usedKeys.add(key);
    },
    wanted$: defer(() => concat(from([...outstanding.values()]), wants)),
    dropped$: dropped,
    arrived: (want, value) => {
      release();
      cache.delete(want.key);
      unused.set(want.key, { value, wantedVersion: want.version, readAt: now() });
      failures.delete(want.key);
      tell(want.key, { kind: 'here' });
    },
    gone: (want) => {
      unused.delete(want.key);
      cache.delete(want.key);
      failures.delete(want.key);
      tell(want.key, { kind: 'gone', version: want.version });
    },
    failed: (want, message) => {
      failures.set(want.key, want.failures + 1);
      tell(want.key, { kind: 'failed', message });
    },
    giveUp: (message) => {
      for (const key of firsts) {
        attempted.add(key);
        arrivals.set(key, { kind: 'failed', attempt: ++attempt, message });
      }
      const hadAny = firsts.size > 0;
      firsts.clear();
      if (hadAny) settled.next();
    },
    forget,
    retain: (keys) => {
      for (const key of new Set([...attempted, ...outstanding.keys()])) if (!keys.has(key)) forget(key);
    },
    expire: () => {
      release();
      cache.purgeStale();
      if (ttl === 0) return;
      for (const [key, { readAt }] of unused) if (now() - readAt > ttl) unused.delete(key);
    },
    get waiting() {
      return firsts.size;
    },
    get attempts() {
      return attempt;
    },
    settled$: settled,
    get size() {
      return unused.size + cache.size;
    },
    *held() {
      for (const { value } of unused.values()) yield value;
      for (const { value } of cache.values()) yield value;
    },
  };
}
