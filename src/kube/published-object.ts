import { apiGroup } from '../api/api-group.ts';
import type { KubeObject, ObjectMeta } from '../api/kube-object.ts';
import { digest } from '../lib/digest.ts';
import { isRecord } from '../lib/is-record.ts';
import { digestAnnotation, managedBy } from './own-object.ts';
import type { ResourceRef } from './resource-path.ts';

/** What is published of a render: haproxy.cfg, its files by what they are, and whatever holds keys as Secrets. */
export type PublishedKind = 'config' | 'map' | 'general' | 'crtList' | 'secret';

/** A file in the form in which it is published. */
export interface PublishedObject {
  readonly kind: PublishedKind;
  /** Of the Kubernetes object. */
  readonly name: string;
  /** Where the file lies in the HAProxy pods. */
  readonly path: string;
  readonly fileName: string;
  /** Whether two forms are the same can be told by it, without their text. */
  readonly digest: string;
  /** `sha256:<hex>` of the file as the pods have it. */
  readonly checksum: string;
  readonly text: string;
  readonly compressed: boolean;
  /** Bytes of a file that fits into no object: `text` says so in its place. */
  readonly oversized?: number;
}

/** An object that is there and ours. */
export interface KnownPublished {
  readonly kind: PublishedKind;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly digest: string;
  readonly checksum: string;
  readonly oversized: boolean;
}

/** An owner in the same namespace, whose deletion takes along what it owns. */
export interface PublishedOwner {
  readonly kind: 'HAProxyTemplateConfig' | 'HAProxyCfg';
  readonly name: string;
  readonly uid: string;
}

export const configurationLabel = 'haproxy-haptic.org/template-config';
export const typeLabel = 'haproxy-haptic.org/type';
export const checksumAnnotation = 'haproxy-haptic.org/checksum';
const compressedAnnotation = 'haproxy-haptic.org/compressed';
const oversizedAnnotation = 'haproxy-haptic.org/oversized';

/** Kinds in the order in which they are listed. */
export const publishedKinds: readonly PublishedKind[] = ['config', 'map', 'general', 'crtList', 'secret'];

/** What is kept to be delivered again has this one, and shows nothing of what runs. */
export const retainedType = 'retained-config';

const kinds = {
  config: { kind: 'HAProxyCfg', resources: 'haproxycfgs', type: 'haproxy-config' },
  map: { kind: 'HAProxyMapFile', resources: 'haproxymapfiles', type: 'map-file' },
  general: { kind: 'HAProxyGeneralFile', resources: 'haproxygeneralfiles', type: 'general-file' },
  crtList: { kind: 'HAProxyCRTListFile', resources: 'haproxycrtlistfiles', type: 'crt-list' },
  secret: { kind: 'Secret', resources: 'secrets', type: 'ssl-certificate' },
} as const;

/** The value of the label: the name of the configuration, or what is left of a long one, told apart by a digest. */
export function configurationValue(name: string): string {
  return name.length <= 63 ? name : `${name.slice(0, 46).replace(/[^a-z0-9]+$/, '')}-${digest(name)}`;
}

export function publishedRef(kind: PublishedKind, namespace: string): ResourceRef {
  const { resources } = kinds[kind];
  return { apiVersion: kind === 'secret' ? 'v1' : apiGroup.apiVersion, resources, namespace };
}

/** `HAProxyMapFile web-host-…`, for people. */
export function describePublished({ kind, name }: Pick<PublishedObject, 'kind' | 'name'>): string {
  return `${kinds[kind].kind} ${name}`;
}

export function publishedKindName(kind: PublishedKind): string {
  return kinds[kind].kind;
}

/**
 * The object to apply.
 *
 * @param uid of the one that is there, so that no other one of the name is taken for it
 */
export function publishedManifest(
  object: PublishedObject,
  {
    namespace,
    configuration,
    owner,
    uid,
  }: {
    readonly namespace: string;
    readonly configuration: string;
    readonly owner?: PublishedOwner;
    readonly uid?: string;
  },
): KubeObject {
  const { kind, name, oversized, digest: formDigest } = object;
  return {
    apiVersion: kind === 'secret' ? 'v1' : apiGroup.apiVersion,
    kind: kinds[kind].kind,
    metadata: {
      name,
      namespace,
      ...(uid !== undefined && { uid }),
      labels: {
        [managedBy]: 'haptic',
        [configurationLabel]: configurationValue(configuration),
        [typeLabel]: kinds[kind].type,
      },
      annotations: {
        [digestAnnotation]: formDigest,
        [checksumAnnotation]: object.checksum,
        ...(oversized !== undefined && { [oversizedAnnotation]: String(oversized) }),
        ...(kind === 'secret' && { [compressedAnnotation]: String(object.compressed) }),
      },
      ...(owner && { ownerReferences: [ownerReference(owner)] }),
    },
    ...contentOf(object),
  };
}

/** What is known of an object of the kind by its metadata; undefined when it is not ours. */
export function knownPublished(
  kind: PublishedKind,
  metadata: ObjectMeta,
  whose: { readonly configuration: string; readonly ownerUid?: string },
): KnownPublished | undefined {
  const { name, uid = '', resourceVersion = '', generation = 0, labels = {}, annotations = {} } = metadata;
  const isLabelled =
    labels[managedBy] === 'haptic' && labels[configurationLabel] === configurationValue(whose.configuration);
  if (!isLabelled || labels[typeLabel] === retainedType) return undefined;
  if (!isOwnedBy(metadata, whose.ownerUid)) return undefined;
  return {
    kind,
    name,
    uid,
    resourceVersion,
    generation,
    digest: annotations[digestAnnotation] ?? '',
    checksum: annotations[checksumAnnotation] ?? '',
    oversized: annotations[oversizedAnnotation] !== undefined,
  };
}

/** Where nobody is to own it, the labels are all that there is to go by. */
function isOwnedBy(metadata: ObjectMeta, uid: string | undefined): boolean {
  if (uid === undefined) return true;
  const owners = (metadata as { readonly ownerReferences?: unknown }).ownerReferences;
  return Array.isArray(owners) && owners.some((owner) => isRecord(owner) && owner['uid'] === uid);
}

function ownerReference({ kind, name, uid }: PublishedOwner) {
  const { apiVersion } = apiGroup;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: false };
}

function contentOf({ kind, path, fileName, checksum, text, compressed }: PublishedObject) {
  const common = { path, checksum, compressed };
  switch (kind) {
    case 'config':
      return { spec: { ...common, content: text } };
    case 'map':
      return { spec: { ...common, mapName: fileName, entries: text } };
    case 'general':
      return { spec: { ...common, fileName, content: text } };
    case 'crtList':
      return { spec: { ...common, listName: fileName, entries: text } };
    case 'secret':
      return { type: 'Opaque', data: { certificate: base64(text), path: base64(path) } };
  }
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
