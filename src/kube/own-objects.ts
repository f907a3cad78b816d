import type { KubeObject } from '../api/kube-object.ts';
import { errorMessage } from '../lib/error-message.ts';
import { isRecord } from '../lib/is-record.ts';
import type { DeclaredResource, ObjectReference } from '../protocol/declared.ts';
import { applyObject } from './apply-object.ts';
import { kubeClient } from './kube-client.ts';
import { describeFailure, type KubeFailure, type KubeResult } from './kube-failure.ts';
import type { KubeTransport } from './kube-transport.ts';
import {
  createOnlyPart,
  creator,
  declaredByAnnotation,
  digestAnnotation,
  hasCreator,
  manager,
  type OwnIdentity,
  ownLabel,
  ownManifest,
  type OwnManifest,
  ownershipOf,
  ownerValue,
  partialLabel,
} from './own-object.ts';
import { createKindResolver } from './resolve-kind.ts';
import type { ServedKind } from './served-resources.ts';

/** An object of ours, as it was seen last. */
export interface OwnObject {
  readonly reference: ObjectReference;
  readonly uid: string;
  readonly isPartial: boolean;
  /** Of the manifest that was applied. */
  readonly digest: string;
  /** Whose fragment declared it, as `formatOwner` has it. */
  readonly declaredBy: string;
}

/** How an attempt ended. `refused`: it will end so again as long as nobody changes something. */
export type OwnResult =
  | { readonly kind: 'done'; readonly object: OwnObject; readonly isNew: boolean }
  | { readonly kind: 'refused' | 'failed'; readonly reason: string; readonly message: string };

export type GoneResult =
  { readonly kind: 'done' } | { readonly kind: 'failed'; readonly reason: string; readonly message: string };

export type OwnKind = Pick<ObjectReference, 'apiVersion' | 'kind'>;

export interface ApplyOwn {
  /** As it was seen last: nothing is asked if it is as declared. */
  readonly known: OwnObject | undefined;
  /** Applies it even so, in case somebody has changed it. */
  readonly always: boolean;
}

/** Own objects in the cluster. Nothing here rejects, and nothing is tried twice. */
export interface OwnObjects {
  /** Creates the object, or brings it to what is declared. What is not ours is left alone, unless it is declared `partial`. */
  readonly apply: (declared: DeclaredResource, options: ApplyOwn, signal: AbortSignal) => Promise<OwnResult>;
  /**
   * Deletes it, or, of a partial one, gives its fields up. One that is not ours any more is left alone: that is done. With an empty
   * `uid` whatever of ours has the name is meant.
   */
  readonly remove: (own: OwnObject, signal: AbortSignal) => Promise<GoneResult>;
  /** All of ours of a kind. */
  readonly list: (kind: OwnKind, signal: AbortSignal) => Promise<KubeResult<readonly OwnObject[]>>;
  /** Kinds that were ever written down, so that objects of a former process are found. */
  readonly kinds: (signal: AbortSignal) => Promise<KubeResult<readonly OwnKind[]>>;
  readonly writeKinds: (kinds: readonly OwnKind[], signal: AbortSignal) => Promise<KubeResult<unknown>>;
}

/**
 * @param identity asked before each write: the configuration as an object may come later
 */
export function ownObjects(transport: KubeTransport, identity: () => OwnIdentity): OwnObjects {
  const client = kubeClient(transport);
  const resolveKind = createKindResolver(transport);

  const placed = (reference: ObjectReference, { namespaced }: ServedKind): ObjectReference => {
    if (!namespaced) return { ...reference, namespace: '' };
    return reference.namespace === '' ? { ...reference, namespace: identity().namespace } : reference;
  };

  const refOf = ({ apiVersion, namespace }: ObjectReference, { resources, namespaced }: ServedKind) => ({
    apiVersion,
    resources,
    ...(namespaced && { namespace }),
  });

  const send = (
    { kept, whole }: OwnManifest,
    which: 'kept' | 'whole',
    force: boolean,
    uid: string | undefined,
    signal: AbortSignal,
  ) => {
    const object = which === 'kept' ? kept : whole;
    const metadata = { ...object.metadata, ...(uid !== undefined && { uid }) };
    return applyObject(transport, { ...object, metadata }, manager, {
      force,
      namespace: identity().namespace,
      resolveKind,
      signal,
    });
  };

  const written = async (
    manifest: OwnManifest,
    live: KubeObject | undefined,
    signal: AbortSignal,
  ): Promise<KubeResult<KubeObject>> => {
    const force = !manifest.isPartial;
    let present = live;
    if (present === undefined) {
      // Without force: one that somebody made since it was looked for keeps what it says.
      const created = await send(manifest, 'whole', false, undefined, signal);
      if (!created.ok || manifest.createOnly.length === 0) return created;
      present = created.value;
    }
    const { uid } = present.metadata;
    if (manifest.createOnly.length > 0 && !hasCreator(present)) {
      // Another manager holds them from now on: this one can leave them out without taking them away.
      const options = { force: true, namespace: identity().namespace, resolveKind, signal };
      const set = await applyObject(transport, createOnlyPart(manifest, present), creator, options);
      if (!set.ok) return set;
    }
    return send(manifest, 'kept', force, uid, signal);
  };

  return {
    apply: async (declared, { known, always }, signal) => {
      const { apiVersion, kind, name } = declared.reference;
      const served = await resolveKind(apiVersion, kind, signal);
      if (!served.ok) return failureOf(served.failure);
      const reference = placed(declared.reference, served.value);
      let manifest: OwnManifest;
      try {
        manifest = ownManifest(declared, reference, identity());
      } catch (error) {
        return { kind: 'refused', reason: 'InvalidManifest', message: errorMessage(error) };
      }
      if (!always && known?.digest === manifest.digest) return { kind: 'done', object: known, isNew: false };
      const found = await client.get(refOf(reference, served.value), name, { signal });
      if (!found.ok && !isNotFound(found.failure)) return failureOf(found.failure);
      const live = found.ok ? found.value : undefined;
      const refusal = refusalOf(live, manifest.isPartial, identity());
      if (refusal !== undefined) return refusal;
      if (!always && live?.metadata.annotations?.[digestAnnotation] === manifest.digest)
        return { kind: 'done', object: ownOf(reference, live, manifest.isPartial), isNew: false };
      const result = await written(manifest, live, signal);
      if (!result.ok) return failureOf(result.failure);
      const isNew = live?.metadata.resourceVersion !== result.value.metadata.resourceVersion;
      return { kind: 'done', object: ownOf(reference, result.value, manifest.isPartial), isNew };
    },
    remove: async (own, signal) => {
      const { apiVersion, kind, name } = own.reference;
      const served = await resolveKind(apiVersion, kind, signal);
      if (!served.ok) return isNotFound(served.failure) ? { kind: 'done' } : goneFailure(served.failure);
      const reference = placed(own.reference, served.value);
      const ref = refOf(reference, served.value);
      const found = await client.get(ref, name, { signal });
      if (!found.ok) return isNotFound(found.failure) ? { kind: 'done' } : goneFailure(found.failure);
      const { uid = '', namespace } = found.value.metadata;
      const isOther = own.uid !== '' && own.uid !== uid;
      const ownership = ownershipOf(found.value, identity());
      if (isOther || ownership === undefined || ownership === 'copied') return { kind: 'done' };
      if (ownership === 'whole') {
        const deleted = await client.delete(ref, name, { uid, signal });
        return deleted.ok || isNotFound(deleted.failure) ? { kind: 'done' } : goneFailure(deleted.failure);
      }
      const empty = {
        apiVersion,
        kind,
        metadata: { name, uid, ...(namespace !== undefined && { namespace }) },
      };
      const released = await client.apply(ref, empty, { fieldManager: manager, signal });
      return released.ok ? { kind: 'done' } : goneFailure(released.failure);
    },
    list: async ({ apiVersion, kind }, signal) => {
      const served = await resolveKind(apiVersion, kind, signal);
      // A kind that is not served any more has no objects.
      if (!served.ok) return isNotFound(served.failure) ? { ok: true, value: [] } : served;
      const objects: OwnObject[] = [];
      const value = ownerValue(identity());
      const { resources } = served.value;
      for (const label of [ownLabel, partialLabel])
        for await (const page of client.list(
          { apiVersion, resources },
          { labelSelector: `${label}=${value}`, signal },
        )) {
          if (!page.ok) return page;
          for (const object of page.value.items) {
            const ownership = ownershipOf(object, identity());
            // With both labels it is listed twice.
            if (ownership !== (label === ownLabel ? 'whole' : 'partial')) continue;
            const { name, namespace = '' } = object.metadata;
            const reference = { apiVersion, kind, namespace, name };
            objects.push(ownOf(reference, object, label === partialLabel));
          }
        }
      return { ok: true, value: objects };
    },
    kinds: async (signal) => {
      const { namespace } = identity();
      const ref = { apiVersion: 'v1', resources: 'configmaps', namespace };
      const found = await client.get(ref, inventoryName(identity()), { signal });
      if (!found.ok) return isNotFound(found.failure) ? { ok: true, value: [] } : found;
      const data = found.value['data'];
      const lines = isRecord(data) && typeof data['kinds'] === 'string' ? data['kinds'].split('\n') : [];
      return { ok: true, value: lines.flatMap(kindOfLine) };
    },
    writeKinds: (kinds, signal) => {
      const { namespace } = identity();
      const lines = [...new Set(kinds.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`))].sort();
      const inventory: KubeObject = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: inventoryName(identity()), namespace },
        data: { kinds: lines.join('\n') },
      };
      return applyObject(transport, inventory, manager, { force: true, resolveKind, signal });
    },
  };
}

/** A ConfigMap beside the configuration says of which kinds it ever had objects. */
function inventoryName({ name }: OwnIdentity): string {
  return `${name.slice(0, 230)}-own-resources`;
}

function kindOfLine(line: string): readonly OwnKind[] {
  const [apiVersion, kind] = line.split(' ');
  return apiVersion === undefined || kind === undefined ? [] : [{ apiVersion, kind }];
}

function refusalOf(
  live: KubeObject | undefined,
  isPartial: boolean,
  identity: OwnIdentity,
): OwnResult | undefined {
  if (live === undefined)
    return isPartial
      ? { kind: 'failed', reason: 'ObjectMissing', message: 'there is no such object to own a part of' }
      : undefined;
  const ownership = ownershipOf(live, identity);
  if (isPartial || ownership === 'whole') return undefined;
  return { kind: 'refused', reason: 'ForeignObject', message: foreignWords(live, ownership, identity) };
}

function foreignWords(
  { metadata }: KubeObject,
  ownership: ReturnType<typeof ownershipOf>,
  identity: OwnIdentity,
): string {
  const way = 'delete it, or declare ownership: partial';
  const owner = metadata.labels?.[ownLabel];
  if (owner !== undefined && owner !== ownerValue(identity))
    return `the object belongs to the configuration ${owner}`;
  return ownership === 'copied'
    ? `the object has the label of this configuration, but somebody else wrote it; ${way}`
    : `there is such an object already, which HAPTIC did not make; ${way}`;
}

function ownOf(reference: ObjectReference, { metadata }: KubeObject, isPartial: boolean): OwnObject {
  const { annotations, uid = '', namespace = '' } = metadata;
  return {
    reference: { ...reference, namespace },
    uid,
    isPartial,
    digest: annotations?.[digestAnnotation] ?? '',
    declaredBy: annotations?.[declaredByAnnotation] ?? '',
  };
}

function isNotFound(failure: KubeFailure): boolean {
  return failure.kind === 'http' && failure.status === 404;
}

/** Forbidden, invalid, of a kind that is not served, or in conflict with others: the same again until somebody changes it. */
function failureOf(failure: KubeFailure): OwnResult {
  const isLasting = failure.kind === 'http' && [400, 403, 404, 409, 422].includes(failure.status);
  return {
    kind: isLasting ? 'refused' : 'failed',
    reason: reasonOf(failure),
    message: describeFailure(failure),
  };
}

function goneFailure(failure: KubeFailure): GoneResult {
  return { kind: 'failed', reason: reasonOf(failure), message: describeFailure(failure) };
}

function reasonOf(failure: KubeFailure): string {
  return failure.kind === 'http' && failure.reason !== '' ? failure.reason : 'RequestFailed';
}
