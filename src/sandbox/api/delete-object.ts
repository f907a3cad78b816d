import { conflict, timestamp, viewOf, type ApiContext } from './api-context.ts';
import type { ApiMeta, ApiObject } from './api-object.ts';
import type { ResourceType } from './resource-type.ts';
import type { Entry } from './storage.ts';
import { isHeld } from './write-object.ts';

/** Kubernetes' DeleteOptions, as far as they matter here. */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly dryRun?: boolean;
}

export interface Deletion {
  /** False: the object waits for its finalizers (or its node) and carries a deletionTimestamp. */
  readonly gone: boolean;
  readonly object: ApiObject;
}

const policyFinalizers = { Foreground: 'foregroundDeletion', Orphan: 'orphan', Background: undefined };

/** Deletes an object, or marks it when finalizers hold it. Preconditions that do not hold are a 409. */
export function deleteObject(
  context: ApiContext,
  type: ResourceType,
  entry: Entry,
  options: DeleteOptions,
): Deletion {
  const object = viewOf(type, entry);
  checkPreconditions(type, object, options);
  const marked = mark(context, type, entry.object, options);
  const { finalizers = [] } = marked.metadata;
  if (finalizers.length === 0 && !isHeld(context, type, marked)) {
    if (options.dryRun === true) return { gone: true, object };
    return { gone: true, object: viewOf(type, context.remove(type, entry)) };
  }
  if (options.dryRun === true || marked === entry.object) return { gone: false, object };
  return { gone: false, object: viewOf(type, context.commit(type, marked)) };
}

function checkPreconditions(type: ResourceType, object: ApiObject, options: DeleteOptions): void {
  const { name, uid, resourceVersion } = object.metadata;
  if (options.uid !== undefined && options.uid !== uid) {
    const why = `Precondition failed: UID in precondition: ${options.uid}, UID in object meta: ${uid ?? ''}`;
    throw conflict(type, name, why);
  }
  if (options.resourceVersion !== undefined && options.resourceVersion !== resourceVersion) {
    const why = `Precondition failed: ResourceVersion in precondition: ${options.resourceVersion}, ResourceVersion in object meta: ${resourceVersion ?? ''}`;
    throw conflict(type, name, why);
  }
}

function mark(context: ApiContext, type: ResourceType, object: ApiObject, options: DeleteOptions): ApiObject {
  const old = object.metadata;
  const policy = policyFinalizers[options.propagationPolicy ?? 'Background'];
  const finalizers = [...(old.finalizers ?? [])];
  if (policy !== undefined && !finalizers.includes(policy)) finalizers.push(policy);
  const grace = graceOf(context, type, object, options);
  if (
    old.deletionTimestamp !== undefined &&
    finalizers.length === (old.finalizers ?? []).length &&
    grace >= (old.deletionGracePeriodSeconds ?? 0)
  )
    return object;
  const ends = new Date(context.now().getTime() + grace * 1000);
  const metadata: ApiMeta = {
    ...old,
    deletionTimestamp: old.deletionTimestamp ?? timestamp(ends),
    deletionGracePeriodSeconds: Math.min(grace, old.deletionGracePeriodSeconds ?? grace),
    ...(type.generation ? { generation: (old.generation ?? 1) + 1 } : {}),
    ...(finalizers.length === 0 ? {} : { finalizers }),
  };
  const marked = { ...object, metadata };
  return type.setDefaults?.(marked, object) ?? marked;
}

function graceOf(context: ApiContext, type: ResourceType, object: ApiObject, options: DeleteOptions): number {
  if (!context.gracefulPods || type.storage !== '/pods') return 0;
  const spec = object['spec'] as { nodeName?: string; terminationGracePeriodSeconds?: number } | undefined;
  if (spec?.nodeName === undefined) return 0;
  return options.gracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 30;
}
