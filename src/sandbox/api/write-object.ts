import { randomInt, randomUUID } from 'node:crypto';
import { admitObject, decodeObject } from './admit-object.ts';
import { conflict, detailsOf, timestamp, viewOf, type ApiContext, type WriteOptions } from './api-context.ts';
import type { ApiMeta, ApiObject } from './api-object.ts';
import { apiError } from './api-status.ts';
import { getIn, jsonEqual, listOf, without } from './json.ts';
import { trackUpdate } from './managed-fields.ts';
import { apiVersionOf, qualifiedName, type ResourceType } from './resource-type.ts';
import type { Entry } from './storage.ts';

const suffixLetters = 'bcdfghjklmnpqrstvwxz2456789';

/** Creates an object: named, stamped, defaulted, validated, stored. Gives it as stored (or, on a dry run, as it would be). */
export function createObject(
  context: ApiContext,
  type: ResourceType,
  namespace: string,
  body: unknown,
  options: WriteOptions,
): ApiObject {
  const sent = decodeObject(context, type, body, options);
  if (sent.metadata.resourceVersion !== undefined && sent.metadata.resourceVersion !== '')
    throw apiError(400, 'resourceVersion should not be set on objects to be created');
  const named = newMetadata(context, type, namespace, sent.metadata);
  const { managedFields } = options;
  const metadata = managedFields === undefined ? named : { ...named, managedFields };
  const kept = options.keepStatus === true || !type.status ? sent : (without(sent, 'status') as ApiObject);
  checkNamespace(context, type, metadata);
  const object = admitObject(context, type, { ...kept, metadata }, undefined);
  if (context.storageOf(type).get(metadata.namespace ?? '', metadata.name) !== undefined) {
    throw apiError(409, `${qualifiedName(type)} "${metadata.name}" already exists`, {
      reason: 'AlreadyExists',
      details: detailsOf(type, metadata.name),
    });
  }
  return store(context, type, undefined, object, options);
}

/**
 * Replaces the object's current version by `body`. A `resourceVersion` or `uid` in it that is not the current one is
 * a 409. What the request may not touch (identity, and status or everything but status) stays as it is; a write that
 * changes nothing gives the current version.
 */
export function replaceObject(
  context: ApiContext,
  type: ResourceType,
  entry: Entry,
  body: unknown,
  options: WriteOptions,
): ApiObject {
  const current = viewOf(type, entry);
  const sent = decodeObject(context, type, body, options);
  checkIdentity(type, current, sent);
  const next = admitObject(context, type, mergeParts(type, current, sent, options), current);
  if (jsonEqual(current, next)) return current;
  return store(context, type, entry, countGeneration(type, current, next), options);
}

/** Puts a finished object in its place and records who owns its fields. */
export function store(
  context: ApiContext,
  type: ResourceType,
  entry: Entry | undefined,
  object: ApiObject,
  options: WriteOptions,
): ApiObject {
  const before = entry === undefined ? undefined : viewOf(type, entry);
  const tracked = options.trackFields === false ? object : track(context, type, before, object, options);
  if (options.dryRun === true) return tracked;
  const stored = context.commit(type, type.toStorage?.(tracked) ?? tracked);
  const { deletionTimestamp, finalizers = [] } = stored.object.metadata;
  if (deletionTimestamp !== undefined && finalizers.length === 0 && !isHeld(context, type, stored.object))
    context.remove(type, stored);
  return viewOf(type, stored);
}

/**
 * True while something besides finalizers keeps a deleted object: the content of a Namespace (`spec.finalizers`), or
 * the node of a Pod, which has still to confirm that the containers have ended.
 */
export function isHeld(context: ApiContext, type: ResourceType, object: ApiObject): boolean {
  if (type.storage === '/namespaces') return listOf(getIn(object, ['spec', 'finalizers'])).length > 0;
  return (
    context.gracefulPods && type.storage === '/pods' && (object.metadata.deletionGracePeriodSeconds ?? 0) > 0
  );
}

/** `metadata.generation` counts changes of anything but metadata and status. */
export function countGeneration(type: ResourceType, before: ApiObject, after: ApiObject): ApiObject {
  if (!type.generation) return after;
  const { metadata: _a, status: _b, ...old } = before;
  const { metadata: _c, status: _d, ...now } = after;
  const generation = (before.metadata.generation ?? 1) + (jsonEqual(old, now) ? 0 : 1);
  return { ...after, metadata: { ...after.metadata, generation } };
}

function track(
  context: ApiContext,
  type: ResourceType,
  before: ApiObject | undefined,
  object: ApiObject,
  options: WriteOptions,
): ApiObject {
  return trackUpdate(before, object, type.schema, {
    manager: options.fieldManager ?? 'unknown',
    apiVersion: apiVersionOf(type),
    subresource: options.subresource ?? '',
    time: timestamp(context.now()),
  });
}

function newMetadata(context: ApiContext, type: ResourceType, namespace: string, sent: ApiMeta): ApiMeta {
  const { resourceVersion: _r, deletionTimestamp: _d, managedFields: _m, namespace: own, ...rest } = sent;
  if (type.namespaced && own !== undefined && own !== '' && own !== namespace)
    throw apiError(
      400,
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  const name =
    sent.name === '' && sent.generateName !== undefined ? generateName(sent.generateName) : sent.name;
  return {
    ...rest,
    name,
    ...(type.namespaced ? { namespace } : {}),
    uid: randomUUID(),
    creationTimestamp: timestamp(context.now()),
    ...(type.generation ? { generation: 1 } : {}),
  };
}

function generateName(prefix: string): string {
  let name = prefix.slice(0, 58);
  for (let i = 0; i < 5; i++) name += suffixLetters[randomInt(suffixLetters.length)] ?? '';
  return name;
}

function checkNamespace(context: ApiContext, type: ResourceType, metadata: ApiMeta): void {
  if (!type.namespaced) return;
  const namespaces = context.registry.byKind('v1', 'Namespace');
  if (namespaces === undefined) return;
  const name = metadata.namespace ?? '';
  const entry = context.storageOf(namespaces).get('', name);
  if (entry === undefined) {
    throw apiError(404, `namespaces "${name}" not found`, { details: detailsOf(namespaces, name) });
  }
  if (entry.object.metadata.deletionTimestamp !== undefined) {
    const what = `${qualifiedName(type)} "${metadata.name}" is forbidden`;
    throw apiError(
      403,
      `${what}: unable to create new content in namespace ${name} because it is being terminated`,
      {
        details: detailsOf(type, metadata.name),
      },
    );
  }
}

/** A name, namespace, uid or resourceVersion sent along must be the current one's: a 400 or 409 otherwise. */
export function checkIdentity(type: ResourceType, current: ApiObject, sent: ApiObject): void {
  const { name, namespace, uid, resourceVersion } = sent.metadata;
  if (name !== '' && name !== current.metadata.name)
    throw apiError(
      400,
      `the name of the object (${name}) does not match the name on the URL (${current.metadata.name})`,
    );
  if (namespace !== undefined && namespace !== '' && namespace !== current.metadata.namespace)
    throw apiError(400, `the namespace of the object (${namespace}) does not match the namespace on the URL`);
  if (uid !== undefined && uid !== '' && uid !== current.metadata.uid) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${current.metadata.uid ?? ''}`;
    throw conflict(type, current.metadata.name, why);
  }
  if (
    resourceVersion !== undefined &&
    resourceVersion !== '' &&
    resourceVersion !== current.metadata.resourceVersion
  ) {
    const why = 'the object has been modified; please apply your changes to the latest version and try again';
    throw conflict(type, current.metadata.name, why);
  }
}

/** The new version: each request changes only the part that is its own. */
export function mergeParts(
  type: ResourceType,
  current: ApiObject,
  sent: ApiObject,
  options: WriteOptions,
): ApiObject {
  const server = serverFields(current.metadata);
  if (options.subresource === 'status') {
    const managed = sent.metadata.managedFields;
    const metadata =
      managed === undefined ? current.metadata : { ...current.metadata, managedFields: managed };
    // One that is left out is an empty one.
    const rest = without(current, 'status') as ApiObject;
    return { ...rest, ...('status' in sent ? { status: sent['status'] } : {}), metadata };
  }
  const managedFields = sent.metadata.managedFields ?? current.metadata.managedFields;
  const { managedFields: _, ...own } = withoutServerFields(sent.metadata);
  const metadata = { ...own, ...server, ...(managedFields === undefined ? {} : { managedFields }) };
  const fields = type.status ? (without(sent, 'status') as ApiObject) : sent;
  return {
    ...fields,
    metadata,
    ...(type.status && current['status'] !== undefined ? { status: current['status'] } : {}),
  };
}

const serverFieldNames = [
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const;

function serverFields(metadata: ApiMeta): ApiMeta {
  const fields = serverFieldNames.flatMap((field) =>
    metadata[field] === undefined ? [] : [[field, metadata[field]]],
  );
  return Object.fromEntries(fields) as ApiMeta;
}

function withoutServerFields(metadata: ApiMeta): Partial<ApiMeta> {
  const own: Record<string, unknown> = { ...metadata };
  for (const field of serverFieldNames) Reflect.deleteProperty(own, field);
  return own;
}
