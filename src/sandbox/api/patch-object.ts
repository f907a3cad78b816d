import { decodeObject, admitObject } from './admit-object.ts';
import { findEntry, notFound, timestamp, viewOf, type ApiContext, type WriteOptions } from './api-context.ts';
import type { ApiObject } from './api-object.ts';
import { apiError } from './api-status.ts';
import { isRecord, jsonEqual, without } from './json.ts';
import { jsonPatch } from './json-patch.ts';
import { applyConfiguration } from './managed-fields.ts';
import { repeatedItem } from './repeated-items.ts';
import { mergePatch } from './merge-patch.ts';
import { apiVersionOf, type ResourceType } from './resource-type.ts';
import { strategicMerge } from './strategic-merge.ts';
import {
  checkIdentity,
  countGeneration,
  createObject,
  mergeParts,
  replaceObject,
  store,
} from './write-object.ts';

export type PatchType = 'merge' | 'strategic' | 'json' | 'apply';

export interface PatchOptions extends WriteOptions {
  /** Server-side apply only: take over fields that others own. */
  readonly force?: boolean;
}

/** Patches an object. Server-side apply creates it when it is not there. */
export function patchObject(
  context: ApiContext,
  type: ResourceType,
  namespace: string,
  name: string,
  patchType: PatchType,
  patch: unknown,
  options: PatchOptions,
): { readonly object: ApiObject; readonly created: boolean } {
  if (patchType === 'apply') return applyObject(context, type, namespace, name, patch, options);
  const entry = findEntry(context, type, namespace, name);
  const next = patched(type, viewOf(type, entry), patchType, patch);
  return { object: replaceObject(context, type, entry, next, options), created: false };
}

/** What a patch makes of a value of this kind. */
export function patched(
  type: ResourceType,
  current: unknown,
  patchType: Exclude<PatchType, 'apply'>,
  patch: unknown,
): unknown {
  if (patchType === 'json') return jsonPatch(current, patch);
  if (!isRecord(patch)) throw apiError(400, 'a patch is an object');
  if (patchType === 'merge') return mergePatch(current, patch);
  if (type.custom !== undefined) {
    throw apiError(
      415,
      'the body of the request was in an unknown format - accepted media types include: ' +
        'application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    );
  }
  return strategicMerge(current, patch, type.schema);
}

function applyObject(
  context: ApiContext,
  type: ResourceType,
  namespace: string,
  name: string,
  patch: unknown,
  options: PatchOptions,
): { object: ApiObject; created: boolean } {
  if (options.fieldManager === undefined || options.fieldManager === '')
    throw apiError(
      400,
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    );
  const sent = decodeConfiguration(context, type, name, patch, options);
  const config = ownPart(type, sent, options);
  const repeated = repeatedItem(config, type.schema);
  if (repeated !== undefined) {
    const what = `${namespace === '' ? '' : `${namespace}/`}${name}; ${apiVersionOf(type)}, Kind=${type.kind}`;
    throw apiError(500, `failed to create typed patch object (${what}): ${repeated}`);
  }
  const entry = context.storageOf(type).get(namespace, name);
  const writer = {
    manager: options.fieldManager,
    apiVersion: apiVersionOf(type),
    subresource: options.subresource ?? '',
    time: timestamp(context.now()),
  };
  if (entry === undefined) {
    if (options.subresource !== undefined) throw notFound(type, name);
    const fresh = applyConfiguration(undefined, config, type.schema, writer, false);
    const { managedFields } = fresh.metadata;
    const created = createObject(context, type, namespace, config, {
      ...options,
      trackFields: false,
      ...(managedFields === undefined ? {} : { managedFields }),
    });
    return { object: created, created: true };
  }
  const current = viewOf(type, entry);
  checkIdentity(type, current, sent);
  const merged = applyConfiguration(current, config, type.schema, writer, options.force === true);
  const next = admitObject(context, type, mergeParts(type, current, merged, options), current);
  if (jsonEqual(current, next)) return { object: current, created: false };
  const counted = countGeneration(type, current, next);
  const object = store(context, type, entry, counted, { ...options, trackFields: false });
  return { object, created: false };
}

function decodeConfiguration(
  context: ApiContext,
  type: ResourceType,
  name: string,
  patch: unknown,
  options: PatchOptions,
): ApiObject {
  if (!isRecord(patch) || patch['apiVersion'] === undefined || patch['kind'] === undefined)
    throw apiError(400, 'an applied configuration must have apiVersion and kind');
  const config = decodeObject(context, type, patch, options);
  if (config.metadata.managedFields !== undefined) throw apiError(400, 'metadata.managedFields must be nil');
  if (config.metadata.name !== '' && config.metadata.name !== name)
    throw apiError(
      400,
      `the name of the object (${config.metadata.name}) does not match the name on the URL (${name})`,
    );
  return { ...config, metadata: { ...config.metadata, name } };
}

/** The part of a configuration that this request may own: everything but status, or only status. */
function ownPart(type: ResourceType, config: ApiObject, options: PatchOptions): ApiObject {
  if (!type.status) return config;
  if (options.subresource !== 'status') return without(config, 'status') as ApiObject;
  const { apiVersion, kind, metadata } = config;
  return {
    apiVersion,
    kind,
    metadata: { name: metadata.name },
    ...('status' in config ? { status: config['status'] } : {}),
  };
}
