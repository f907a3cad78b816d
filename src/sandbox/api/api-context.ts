import type { ApiObject, ManagedFields } from './api-object.ts';
import { apiError } from './api-status.ts';
import type { Registry } from './registry.ts';
import { qualifiedName, type ResourceType } from './resource-type.ts';
import {
  createRevisionClock,
  createStorage,
  type Change,
  type Entry,
  type RevisionClock,
  type Storage,
} from './storage.ts';

/** What every operation works on: the kinds, their objects and the clock. */
export interface ApiContext {
  readonly registry: Registry;
  readonly clock: RevisionClock;
  readonly now: () => Date;
  /** True: objects are stored as sent, valid or not. */
  readonly allowInvalid: () => boolean;
  /** True: a deleted Pod that runs on a node waits for its kubelet, as in a cluster. */
  readonly gracefulPods: boolean;
  readonly storageOf: (type: ResourceType) => Storage;
  readonly storages: () => Iterable<Storage>;
  readonly commit: (type: ResourceType, object: ApiObject) => Entry;
  readonly remove: (type: ResourceType, entry: Entry) => Entry;
  /** Called after watchers have heard of a write: for what the server itself does next (owners, namespaces, CRDs). */
  readonly afterCommit: (hook: (type: ResourceType, change: Change) => void) => void;
}

/** Options of a write; `fieldManager` falls back to the client's name. */
export interface WriteOptions {
  readonly fieldManager?: string;
  readonly dryRun?: boolean;
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
  /** `status`, `scale`, `finalize`; absent for the object itself. */
  readonly subresource?: string;
  /** A create keeps the `status` it was sent, which otherwise is the business of `/status`. */
  readonly keepStatus?: boolean;
  /** False: ownership of fields is not recorded (bulk loads). */
  readonly trackFields?: boolean;
  /** A create by server-side apply: who owns what is already known. */
  readonly managedFields?: readonly ManagedFields[];
  /** Receives the text of each warning. */
  readonly warn?: (text: string) => void;
}

export function createApiContext(
  registry: Registry,
  options: {
    readonly now: () => Date;
    readonly historySize: number;
    readonly gracefulPods: boolean;
    readonly allowInvalid: () => boolean;
  },
): ApiContext {
  const clock = createRevisionClock();
  const storages = new Map<string, Storage>();
  const hooks: ((type: ResourceType, change: Change) => void)[] = [];
  const storageOf = (type: ResourceType): Storage => {
    let storage = storages.get(type.storage);
    if (storage === undefined)
      storages.set(type.storage, (storage = createStorage(clock, options.historySize)));
    return storage;
  };
  const after = (type: ResourceType, change: Change): Entry => {
    for (const hook of hooks) hook(type, change);
    return change.entry;
  };
  return {
    registry,
    clock,
    now: options.now,
    allowInvalid: options.allowInvalid,
    gracefulPods: options.gracefulPods,
    storageOf,
    storages: () => storages.values(),
    commit: (type, object) => {
      const storage = storageOf(type);
      const previous = storage.get(object.metadata.namespace ?? '', object.metadata.name);
      const entry = storage.put(object);
      const kind = previous === undefined ? 'ADDED' : 'MODIFIED';
      return after(type, { type: kind, revision: entry.revision, entry, previous });
    },
    remove: (type, previous) => {
      const entry = storageOf(type).remove(previous);
      return after(type, { type: 'DELETED', revision: entry.revision, entry, previous });
    },
    afterCommit: (hook) => hooks.push(hook),
  };
}

/** The object as this version of the API shows it. */
export function viewOf(type: ResourceType, entry: Entry): ApiObject {
  return type.fromStorage === undefined ? entry.object : type.fromStorage(entry.object);
}

/** JSON of the object as this version shows it, made once per object version. */
export function textOf(type: ResourceType, entry: Entry): string {
  const view = `${type.group}/${type.version}`;
  let text = entry.texts.get(view);
  if (text === undefined) entry.texts.set(view, (text = JSON.stringify(viewOf(type, entry))));
  return text;
}

/** The object's current version, or the 404 that names it. */
export function findEntry(context: ApiContext, type: ResourceType, namespace: string, name: string): Entry {
  const entry = context.storageOf(type).get(namespace, name);
  if (entry === undefined) throw notFound(type, name);
  return entry;
}

export function notFound(type: ResourceType, name: string): Error {
  return apiError(404, `${qualifiedName(type)} "${name}" not found`, { details: detailsOf(type, name) });
}

export function conflict(type: ResourceType, name: string, why: string): Error {
  const text = `Operation cannot be fulfilled on ${qualifiedName(type)} "${name}": ${why}`;
  return apiError(409, text, { details: detailsOf(type, name) });
}

export function detailsOf(type: ResourceType, name: string): { name: string; group?: string; kind: string } {
  return { name, ...(type.group === '' ? {} : { group: type.group }), kind: type.plural };
}

/** RFC 3339 with seconds, the form of every `metav1.Time`. */
export function timestamp(now: Date): string {
  return `${now.toISOString().slice(0, 19)}Z`;
}
