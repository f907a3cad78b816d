import type { ApiObject } from './api-object.ts';

/** One version of one object. Immutable but for `texts`, the JSON of each view, made once and kept with the version. */
export interface Entry {
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  readonly object: ApiObject;
  readonly texts: Map<string, string>;
}

/** One committed write. `previous` is the version it replaced. */
export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly revision: number;
  readonly entry: Entry;
  readonly previous: Entry | undefined;
}

/** The counter behind every resourceVersion of a server: unique and rising over all kinds. */
export interface RevisionClock {
  current(): number;
  next(): number;
}

/**
 * The objects of one kind with a window of past changes. A write costs the same whatever the number of objects, and
 * listeners hear of it before it returns (after the write they are being told of, if one of them writes).
 */
export interface Storage {
  readonly get: (namespace: string, name: string) => Entry | undefined;
  readonly size: (namespace?: string) => number;
  /** Entries in key order; the array is a snapshot that later writes leave alone. */
  readonly entries: (namespace?: string) => readonly Entry[];
  readonly put: (object: ApiObject) => Entry;
  readonly remove: (entry: Entry) => Entry;
  /** Changes after `revision`, oldest first; `undefined` when the window no longer reaches back that far. */
  readonly changesSince: (revision: number) => readonly Change[] | undefined;
  /** Calls back with every change after this moment, in order, within the tick of its write. */
  readonly listen: (listener: (change: Change) => void) => () => void;
  /** Forgets all past changes: any older resourceVersion is then too old. */
  readonly compact: () => void;
}

export function createRevisionClock(): RevisionClock {
  let revision = 1;
  return { current: () => revision, next: () => ++revision };
}

export function createStorage(clock: RevisionClock, historySize: number): Storage {
  const byNamespace = new Map<string, Map<string, Entry>>();
  const sorted = new Map<string | undefined, readonly Entry[]>();
  const listeners = new Map<(change: Change) => void, number>();
  const undelivered: Change[] = [];
  let delivering = false;
  let history: Change[] = [];
  let compactedAt = 0;
  let count = 0;

  const record = (change: Change) => {
    if (change.type !== 'MODIFIED') count += change.type === 'ADDED' ? 1 : -1;
    sorted.delete(undefined);
    sorted.delete(change.entry.namespace);
    history.push(change);
    if (history.length > historySize * 2) {
      const dropped = history.length - historySize;
      compactedAt = history[dropped - 1]?.revision ?? compactedAt;
      history = history.slice(dropped);
    }
    undelivered.push(change);
    if (!delivering) deliver();
  };

  /** A listener may write: that change waits until every listener has heard of this one, so all see one order. */
  const deliver = () => {
    delivering = true;
    try {
      for (let next = undelivered.shift(); next !== undefined; next = undelivered.shift())
        for (const [listener, since] of listeners) if (next.revision > since) listener(next);
    } finally {
      delivering = false;
    }
  };

  const stamp = (object: ApiObject): Entry => {
    const revision = clock.next();
    const metadata = { ...object.metadata, resourceVersion: String(revision) };
    const namespace = metadata.namespace ?? '';
    return { namespace, name: metadata.name, revision, object: { ...object, metadata }, texts: new Map() };
  };

  return {
    get: (namespace, name) => byNamespace.get(namespace)?.get(name),
    size: (namespace) => (namespace === undefined ? count : (byNamespace.get(namespace)?.size ?? 0)),
    entries: (namespace) => {
      let entries = sorted.get(namespace);
      if (entries === undefined) {
        entries = collect(byNamespace, namespace);
        sorted.set(namespace, entries);
      }
      return entries;
    },
    put: (object) => {
      const entry = stamp(object);
      let names = byNamespace.get(entry.namespace);
      if (names === undefined) byNamespace.set(entry.namespace, (names = new Map<string, Entry>()));
      const previous = names.get(entry.name);
      names.set(entry.name, entry);
      record({
        type: previous === undefined ? 'ADDED' : 'MODIFIED',
        revision: entry.revision,
        entry,
        previous,
      });
      return entry;
    },
    remove: (previous) => {
      const entry = stamp(previous.object);
      const names = byNamespace.get(entry.namespace);
      names?.delete(entry.name);
      if (names?.size === 0) byNamespace.delete(entry.namespace);
      record({ type: 'DELETED', revision: entry.revision, entry, previous });
      return entry;
    },
    changesSince: (revision) => {
      if (revision < compactedAt) return undefined;
      let low = 0;
      let high = history.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((history[middle]?.revision ?? 0) <= revision) low = middle + 1;
        else high = middle;
      }
      return history.slice(low);
    },
    listen: (listener) => {
      listeners.set(listener, clock.current());
      return () => listeners.delete(listener);
    },
    compact: () => {
      history = [];
      compactedAt = clock.current();
    },
  };
}

function collect(
  byNamespace: ReadonlyMap<string, ReadonlyMap<string, Entry>>,
  namespace: string | undefined,
): readonly Entry[] {
  const one = namespace === undefined ? undefined : byNamespace.get(namespace);
  const groups = namespace === undefined ? byNamespace.values() : one === undefined ? [] : [one];
  const entries: Entry[] = [];
  for (const group of groups) for (const entry of group.values()) entries.push(entry);
  return entries.sort(byKey);
}

function byKey(a: Entry, b: Entry): number {
  if (a.namespace !== b.namespace) return a.namespace < b.namespace ? -1 : 1;
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
