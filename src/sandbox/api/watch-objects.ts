import type { ApiContext } from './api-context.ts';
import { apiError } from './api-status.ts';
import { selectEntries, selectorOf, type Selection } from './list-objects.ts';
import type { ResourceType } from './resource-type.ts';
import type { Change, Entry } from './storage.ts';

export interface WatchQuery extends Selection {
  /** Resume after this version; absent or `0`: begin with all present objects as ADDED. */
  readonly resourceVersion?: string;
  /** Streaming list: present objects, then a bookmark that ends them. */
  readonly sendInitialEvents?: boolean;
}

export interface WatchedChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly entry: Entry;
}

export interface Watch {
  /** Present objects to begin with, in key order. */
  readonly initial: readonly Entry[];
  /** Version at which `initial` was read, or from which the watch resumed. */
  readonly revision: number;
  /** Changes already past when the watch began. */
  readonly replay: readonly WatchedChange[];
  /** Calls back within the write's own tick. Gives the way to stop. */
  readonly listen: (listener: (change: WatchedChange) => void) => () => void;
}

/**
 * Begins a watch: a 410 when the version to resume from is no longer in the window. A selector turns a change into
 * ADDED or DELETED when the object comes to match or ceases to.
 */
export function watchObjects(context: ApiContext, type: ResourceType, query: WatchQuery): Watch {
  const storage = context.storageOf(type);
  const matches = selectorOf(type, query);
  const from = query.resourceVersion ?? '';
  const fresh =
    query.sendInitialEvents === true ||
    (query.sendInitialEvents === undefined && (from === '' || from === '0'));
  const revision = fresh || from === '' ? context.clock.current() : parseRevision(from);
  const past = fresh ? [] : storage.changesSince(revision);
  if (past === undefined) {
    throw apiError(410, `too old resource version: ${revision} (${context.clock.current()})`, {
      reason: 'Expired',
    });
  }
  if (revision > context.clock.current()) {
    throw apiError(504, `Too large resource version: ${revision}, current: ${context.clock.current()}`, {
      reason: 'Timeout',
      details: {
        causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version', field: '' }],
        retryAfterSeconds: 1,
      },
    });
  }
  return {
    initial: fresh ? selectEntries(context, type, query) : [],
    revision,
    replay: past.flatMap((change) => selected(change, matches)),
    listen: (listener) =>
      storage.listen((change) => {
        for (const seen of selected(change, matches)) listener(seen);
      }),
  };
}

function selected(change: Change, matches: (entry: Entry) => boolean): WatchedChange[] {
  const { entry, previous } = change;
  if (change.type !== 'MODIFIED') return matches(entry) ? [{ type: change.type, entry }] : [];
  const now = matches(entry);
  const before = previous !== undefined && matches(previous);
  if (now) return [{ type: before ? 'MODIFIED' : 'ADDED', entry }];
  return before ? [{ type: 'DELETED', entry: atRevision(previous, entry.revision) }] : [];
}

/** The last version that matched, stamped with the version that no longer does. */
function atRevision(entry: Entry, revision: number): Entry {
  const metadata = { ...entry.object.metadata, resourceVersion: String(revision) };
  return { ...entry, revision, object: { ...entry.object, metadata }, texts: new Map() };
}

/** The object that a bookmark carries: only its kind and version. */
export function bookmarkObject(
  type: ResourceType,
  apiVersion: string,
  revision: number,
  initialEnd: boolean,
): unknown {
  return {
    kind: type.kind,
    apiVersion,
    metadata: {
      resourceVersion: String(revision),
      creationTimestamp: null,
      ...(initialEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}),
    },
  };
}

function parseRevision(text: string): number {
  if (!/^\d+$/.test(text))
    throw apiError(400, `Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: invalid syntax`);
  return Number(text);
}
