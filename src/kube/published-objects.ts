import { apiGroup } from '../api/api-group.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { isRecord } from '../lib/is-record.ts';
import { kubeClient } from './kube-client.ts';
import { describeFailure, type KubeFailure, type KubeResult } from './kube-failure.ts';
import type { KubeTransport } from './kube-transport.ts';
import { manager } from './own-object.ts';
import {
  configurationLabel,
  configurationValue,
  type KnownPublished,
  knownPublished,
  type PublishedKind,
  publishedKindName,
  publishedKinds,
  publishedManifest,
  type PublishedObject,
  type PublishedOwner,
  publishedRef,
} from './published-object.ts';

/** Whose render is published. */
export interface PublishedIdentity {
  readonly namespace: string;
  /** Of the configuration. */
  readonly name: string;
  /** The configuration is an object, which owns what is published; else it came as files. */
  readonly isObject: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** Everything that is there and ours. */
export interface PublishedStock {
  readonly objects: readonly KnownPublished[];
  /** `status` of each HAProxyCfg that was asked for, by its name. */
  readonly statuses: ReadonlyMap<string, Fields>;
}

/**
 * - `absent`: the API has no such kind, or the configuration is not there: nothing can be published until that changes.
 * - `too_large`: the API takes no object of that size.
 * - `lost`: what was known of the object holds no more.
 * - `refused`: the same again until somebody changes something.
 */
export interface PublishTrouble {
  readonly kind: 'absent' | 'too_large' | 'lost' | 'refused' | 'failed';
  readonly reason: string;
  readonly message: string;
}

export type PublishResult<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly trouble: PublishTrouble };

/** What is published, in the cluster. Nothing here rejects, and nothing is tried twice. */
export interface PublishedObjects {
  /** @param statusOf HAProxyCfgs whose status is wanted, of those that are there */
  readonly stock: (
    configs: { readonly main: string; readonly twin: string },
    statusOf: (known: KnownPublished) => boolean,
    signal: AbortSignal,
  ) => Promise<PublishResult<PublishedStock>>;
  /**
   * Creates the object, or brings it to this. What is not ours is left alone.
   *
   * @param owner absent for HAProxyCfgs: the configuration owns them
   */
  readonly apply: (
    object: PublishedObject,
    options: { readonly known: KnownPublished | undefined; readonly owner?: PublishedOwner },
    signal: AbortSignal,
  ) => Promise<PublishResult<KnownPublished>>;
  readonly applyStatus: (
    known: KnownPublished,
    status: Fields,
    signal: AbortSignal,
  ) => Promise<PublishResult<KnownPublished>>;
  /** Deletes that very object; one that is gone is done. */
  readonly remove: (known: KnownPublished, signal: AbortSignal) => Promise<PublishResult<undefined>>;
}

const statusManager = 'haptic-status';
const configs = { apiVersion: apiGroup.apiVersion, resources: 'haproxytemplateconfigs' };

/** Objects by server-side apply; who there is, by metadata alone. */
export function publishedObjects(transport: KubeTransport, identity: PublishedIdentity): PublishedObjects {
  const { namespace, name: configuration } = identity;
  const client = kubeClient(transport);
  let owner: PublishedOwner | undefined;

  const findOwner = async (signal: AbortSignal): Promise<PublishTrouble | undefined> => {
    if (!identity.isObject) return undefined;
    const found = await client.get({ ...configs, namespace }, configuration, { signal, metadataOnly: true });
    if (!found.ok) {
      const { failure } = found;
      if (!isNotFound(failure)) return troubleOf(failure);
      const message = `there is no HAProxyTemplateConfig ${namespace}/${configuration} to own it`;
      return { kind: 'absent', reason: 'ConfigurationMissing', message };
    }
    const { uid = '' } = found.value.metadata;
    owner = { kind: 'HAProxyTemplateConfig', name: configuration, uid };
    return undefined;
  };

  const whose = (ownerUid: string | undefined) => ({
    configuration,
    ...(ownerUid !== undefined && { ownerUid }),
  });

  const list = async (
    kind: PublishedKind,
    ownerUid: string | undefined,
    signal: AbortSignal,
  ): Promise<PublishResult<readonly KnownPublished[]>> => {
    const objects: KnownPublished[] = [];
    const labelSelector = `${configurationLabel}=${configurationValue(configuration)}`;
    const pages = client.list(publishedRef(kind, namespace), { labelSelector, metadataOnly: true, signal });
    for await (const page of pages) {
      if (!page.ok) {
        if (!isNotFound(page.failure)) return { ok: false, trouble: troubleOf(page.failure) };
        const message = `the API has no ${publishedKindName(kind)}: its CRD is not installed`;
        return { ok: false, trouble: { kind: 'absent', reason: 'NotServed', message } };
      }
      for (const { metadata } of page.value.items) {
        const known = knownPublished(kind, metadata, whose(ownerUid));
        if (known !== undefined) objects.push(known);
      }
    }
    return { ok: true, value: objects };
  };

  return {
    stock: async ({ main, twin }, statusOf, signal) => {
      const trouble = await findOwner(signal);
      if (trouble !== undefined) return { ok: false, trouble };
      const objects: KnownPublished[] = [];
      for (const kind of publishedKinds) {
        const cfg = objects.find((known) => known.kind === 'config' && known.name === main);
        // What a HAProxyCfg owned that is gone is not ours to judge: the API collects it.
        if (kind !== 'config' && cfg === undefined) continue;
        const listed = await list(kind, kind === 'config' ? owner?.uid : cfg?.uid, signal);
        if (!listed.ok) return listed;
        objects.push(...listed.value);
      }
      const statuses = new Map<string, Fields>();
      for (const known of objects) {
        if (known.kind !== 'config' || ![main, twin].includes(known.name) || !statusOf(known)) continue;
        const read = await client.get(publishedRef('config', namespace), known.name, { signal });
        if (!read.ok) return { ok: false, trouble: troubleOf(read.failure) };
        statuses.set(known.name, isRecord(read.value['status']) ? read.value['status'] : {});
      }
      return { ok: true, value: { objects, statuses } };
    },
    apply: async (object, { known, owner: given }, signal) => {
      const { kind, name } = object;
      const ref = publishedRef(kind, namespace);
      const itsOwner = given ?? owner;
      let uid = known?.uid;
      if (uid === undefined) {
        const found = await client.get(ref, name, { signal, metadataOnly: true });
        if (!found.ok && !isNotFound(found.failure)) return { ok: false, trouble: troubleOf(found.failure) };
        if (found.ok) {
          uid = knownPublished(kind, found.value.metadata, whose(itsOwner?.uid))?.uid;
          if (uid === undefined) return { ok: false, trouble: foreign };
        }
      }
      const manifest = publishedManifest(object, {
        namespace,
        configuration,
        ...(itsOwner && { owner: itsOwner }),
        ...(uid !== undefined && { uid }),
      });
      return written(kind, await client.apply(ref, manifest, { fieldManager: manager, force: true, signal }));
    },
    applyStatus: async (known, status, signal) => {
      const { kind, name, uid } = known;
      const object: KubeObject = {
        apiVersion: apiGroup.apiVersion,
        kind: publishedKindName(kind),
        metadata: { name, namespace, uid },
        status,
      };
      const applied = await client.apply(publishedRef(kind, namespace), object, {
        fieldManager: statusManager,
        subresource: 'status',
        force: true,
        signal,
      });
      return written(kind, applied);
    },
    remove: async ({ kind, name, uid }, signal) => {
      const deleted = await client.delete(publishedRef(kind, namespace), name, { uid, signal });
      if (deleted.ok || isNotFound(deleted.failure)) return { ok: true, value: undefined };
      // Another one has taken its name: that is not ours.
      if (deleted.failure.kind === 'http' && deleted.failure.status === 409)
        return { ok: true, value: undefined };
      return { ok: false, trouble: troubleOf(deleted.failure) };
    },
  };

  function written(kind: PublishedKind, applied: KubeResult<KubeObject>): PublishResult<KnownPublished> {
    if (!applied.ok) return { ok: false, trouble: troubleOf(applied.failure) };
    const known = knownPublished(kind, applied.value.metadata, whose(undefined));
    return known === undefined ? { ok: false, trouble: foreign } : { ok: true, value: known };
  }
}

const foreign: PublishTrouble = {
  kind: 'refused',
  reason: 'ForeignObject',
  message: 'there is an object of this name already that is not of this configuration',
};

function isNotFound(failure: KubeFailure): boolean {
  return failure.kind === 'http' && failure.status === 404;
}

/** A Secret that is too large is `Invalid`; etcd's own limit comes as an error of the server. */
const tooLarge = /too large|larger than max|\bdata: Too long/i;

function troubleOf(failure: KubeFailure): PublishTrouble {
  const message = describeFailure(failure);
  if (failure.kind !== 'http') return { kind: 'failed', reason: 'RequestFailed', message };
  const { status } = failure;
  const reason = failure.reason === '' ? 'RequestFailed' : failure.reason;
  if (status === 413 || (status !== 429 && tooLarge.test(failure.message)))
    return { kind: 'too_large', reason: 'ContentTooLarge', message };
  if (status === 404 || status === 409) return { kind: 'lost', reason, message };
  return { kind: [400, 403, 422].includes(status) ? 'refused' : 'failed', reason, message };
}
