import type { ApiContext } from './api-context.ts';
import type { ApiObject, OwnerReference } from './api-object.ts';
import { deleteObject } from './delete-object.ts';
import type { ResourceType } from './resource-type.ts';
import type { Entry } from './storage.ts';

interface Dependent {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
}

const rememberedOwners = 10_000;
const waitFinalizers = ['foregroundDeletion', 'orphan'];

/**
 * What kube-controller-manager does and users count on: dependents go when their last owner is gone (background,
 * foreground, or left alone as orphans), and a deleted Namespace takes its content along. Work is done in a turn of its
 * own after the write that caused it.
 */
export function startSystemControllers(context: ApiContext): void {
  collectGarbage(context);
  emptyNamespaces(context);
}

function collectGarbage(context: ApiContext): void {
  const dependents = new Map<string, Map<string, Dependent>>();
  const gone = new Set<string>();

  const forEachDependent = (owner: string, act: (type: ResourceType, entry: Entry) => void) => {
    for (const { type, namespace, name } of [...(dependents.get(owner)?.values() ?? [])]) {
      const entry = context.storageOf(type).get(namespace, name);
      if (entry !== undefined) act(type, entry);
    }
  };
  const collect = (type: ResourceType, entry: Entry) => {
    const owners = entry.object.metadata.ownerReferences ?? [];
    if (owners.length > 0 && owners.every((owner) => gone.has(owner.uid)) && !isDeleting(entry.object))
      deleteObject(context, type, entry, {});
  };
  const release = (type: ResourceType, entry: Entry) => {
    const current = context.storageOf(type).get(entry.namespace, entry.name);
    if (current === undefined || !isDeleting(current.object)) return;
    const { finalizers = [], uid = '' } = current.object.metadata;
    if (finalizers.includes('foregroundDeletion'))
      forEachDependent(uid, (dependent, item) => deleteIfAlive(context, dependent, item));
    if (finalizers.includes('orphan'))
      forEachDependent(uid, (dependent, item) => disown(context, dependent, item, uid));
    if (!finalizers.some((finalizer) => waitFinalizers.includes(finalizer))) return;
    if (finalizers.includes('foregroundDeletion') && (dependents.get(uid)?.size ?? 0) > 0) return;
    const rest = finalizers.filter((finalizer) => !waitFinalizers.includes(finalizer));
    const next = withMetadata(current.object, { finalizers: rest });
    if (rest.length === 0) context.remove(type, current);
    else context.commit(type, next);
  };

  context.afterCommit((type, { type: change, entry, previous }) => {
    const { uid = '' } = entry.object.metadata;
    // `null` when invalid objects are let in.
    const ownerReferences = entry.object.metadata.ownerReferences ?? [];
    const owners = change === 'DELETED' ? [] : ownerReferences;
    for (const { uid: owner } of previous?.object.metadata.ownerReferences ?? []) {
      if (owners.some((reference) => reference.uid === owner)) continue;
      dependents.get(owner)?.delete(uid);
      if (dependents.get(owner)?.size === 0) dependents.delete(owner);
    }
    for (const { uid: owner } of owners) {
      let own = dependents.get(owner);
      if (own === undefined) dependents.set(owner, (own = new Map<string, Dependent>()));
      own.set(uid, { type, namespace: entry.namespace, name: entry.name });
    }
    if (change === 'DELETED') {
      gone.add(uid);
      const [oldest] = gone;
      if (gone.size > rememberedOwners && oldest !== undefined) gone.delete(oldest);
      if (dependents.has(uid)) setImmediate(() => forEachDependent(uid, collect));
      for (const owner of ownerReferences)
        setImmediate(() => releaseOwner(context, entry.namespace, owner, release));
    } else if (owners.some((owner) => gone.has(owner.uid)))
      setImmediate(() => collectCurrent(context, type, entry, collect));
    else if (isDeleting(entry.object)) setImmediate(() => release(type, entry));
  });
}

function collectCurrent(
  context: ApiContext,
  type: ResourceType,
  entry: Entry,
  collect: (type: ResourceType, entry: Entry) => void,
): void {
  const current = context.storageOf(type).get(entry.namespace, entry.name);
  if (current !== undefined) collect(type, current);
}

/** A dependent is gone: its owner may have waited for that (foreground deletion). */
function releaseOwner(
  context: ApiContext,
  namespace: string,
  owner: OwnerReference,
  release: (type: ResourceType, entry: Entry) => void,
): void {
  const type = context.registry.byKind(owner.apiVersion, owner.kind);
  if (type === undefined) return;
  const entry = context.storageOf(type).get(type.namespaced ? namespace : '', owner.name);
  if (entry?.object.metadata.uid === owner.uid) release(type, entry);
}

function deleteIfAlive(context: ApiContext, type: ResourceType, entry: Entry): void {
  if (!isDeleting(entry.object)) deleteObject(context, type, entry, {});
}

function disown(context: ApiContext, type: ResourceType, entry: Entry, owner: string): void {
  const rest = (entry.object.metadata.ownerReferences ?? []).filter((reference) => reference.uid !== owner);
  context.commit(type, withMetadata(entry.object, { ownerReferences: rest }));
}

function emptyNamespaces(context: ApiContext): void {
  const namespaces = context.registry.byKind('v1', 'Namespace');
  if (namespaces === undefined) return;
  const finish = (name: string) => {
    const entry = context.storageOf(namespaces).get('', name);
    if (entry === undefined || !isDeleting(entry.object)) return;
    let left = 0;
    for (const type of storedTypes(context)) {
      if (!type.namespaced) continue;
      for (const item of context.storageOf(type).entries(name)) deleteIfAlive(context, type, item);
      left += context.storageOf(type).size(name);
    }
    if (left > 0) return;
    const finished = context.storageOf(namespaces).get('', name);
    if (finished !== undefined && (finished.object.metadata.finalizers ?? []).length === 0)
      context.remove(namespaces, finished);
  };
  context.afterCommit((type, { type: change, entry }) => {
    if (type.storage === namespaces.storage && change !== 'DELETED' && isDeleting(entry.object)) {
      setImmediate(finish, entry.name);
      return;
    }
    if (change !== 'DELETED' || entry.namespace === '') return;
    const namespace = context.storageOf(namespaces).get('', entry.namespace);
    if (namespace !== undefined && isDeleting(namespace.object)) setImmediate(finish, entry.namespace);
  });
}

/** One type for each storage: views of the same objects are not visited twice. */
function storedTypes(context: ApiContext): Iterable<ResourceType> {
  return new Map(context.registry.all().map((type) => [type.storage, type])).values();
}

function isDeleting(object: ApiObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

function withMetadata(object: ApiObject, fields: Partial<ApiObject['metadata']>): ApiObject {
  return { ...object, metadata: { ...object.metadata, ...fields } };
}
