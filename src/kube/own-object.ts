import type { KubeObject } from '../api/kube-object.ts';
import { digest } from '../lib/digest.ts';
import { type FieldPath, parseFieldPath, valueAt, withField, withoutFields } from '../lib/field-paths.ts';
import { formatOwner } from '../lib/owner.ts';
import type { DeclaredResource, ObjectReference } from '../protocol/declared.ts';

/** Whose objects these are: one configuration, in one namespace. */
export interface OwnIdentity {
  readonly namespace: string;
  readonly name: string;
  /** The configuration as an object that owns others: they go when it is deleted. Absent: it is none. */
  readonly object?: { readonly apiVersion: string; readonly kind: string; readonly uid: string };
}

export const ownLabel = 'haproxy-haptic.org/owned-by';
/** On objects that others own, of which some fields are ours. */
export const partialLabel = 'haproxy-haptic.org/part-owned-by';
export const ownershipAnnotation = 'haproxy-haptic.org/ownership';
/** Digest of the manifest that was applied last, without the fields that are set once. */
export const digestAnnotation = 'haproxy-haptic.org/manifest-digest';
/** The object whose fragment declared it. */
export const declaredByAnnotation = 'haproxy-haptic.org/declared-by';
export const managedBy = 'app.kubernetes.io/managed-by';

/** Applies what follows the templates; {@link creator} what is set once. */
export const manager = 'haptic';
export const creator = 'haptic-create';

/** The value of the labels: readable where it fits, else cut off and told apart by a digest. */
export function ownerValue({ namespace, name }: Pick<OwnIdentity, 'namespace' | 'name'>): string {
  const value = `${namespace}.${name}`;
  return value.length <= 63 ? value : `${value.slice(0, 46).replace(/[^a-z0-9]+$/i, '')}-${digest(value)}`;
}

/** A declared object in the forms in which it is sent. */
export interface OwnManifest {
  readonly reference: ObjectReference;
  readonly isPartial: boolean;
  readonly digest: string;
  /** What follows the templates. */
  readonly kept: KubeObject;
  /** Everything, for an object that is not there yet. */
  readonly whole: KubeObject;
  readonly createOnly: readonly FieldPath[];
}

/**
 * @param reference with the namespace in which the object is, if it is in one
 * @throws CodedError `HAPTIC_ERR_CONFIG_FIELD_PATH` for a path of `createOnlyFields` that names no field
 */
export function ownManifest(
  { object, createOnlyFields, owner }: DeclaredResource,
  reference: ObjectReference,
  identity: OwnIdentity,
): OwnManifest {
  const { apiVersion, kind, name } = reference;
  const createOnly = createOnlyFields.map(parseFieldPath);
  const metadata = recordOf(object['metadata']);
  const annotations = recordOf(metadata['annotations']);
  const isPartial = annotations[ownershipAnnotation] === 'partial';
  const namespace = reference.namespace === '' ? {} : { namespace: reference.namespace };
  const value = ownerValue(identity);
  const manifest: KubeObject = {
    ...object,
    apiVersion,
    kind,
    metadata: {
      ...metadata,
      name,
      ...namespace,
      labels: {
        ...stringsOf(metadata['labels']),
        ...(isPartial ? { [partialLabel]: value } : { [managedBy]: 'haptic', [ownLabel]: value }),
      },
      annotations: {
        ...stringsOf(annotations),
        [declaredByAnnotation]: formatOwner(owner),
        [digestAnnotation]: digest(
          JSON.stringify([withoutFields(object, createOnly), createOnlyFields, value]),
        ),
      },
      ...(isPartial ? {} : ownedBy(identity, reference)),
    },
  };
  return {
    reference,
    isPartial,
    createOnly,
    whole: manifest,
    kept: asObject(withoutFields(manifest, createOnly)),
    digest: manifest.metadata.annotations?.[digestAnnotation] ?? '',
  };
}

/** What is set once: from the object as it is, so that nothing changes; where it has none, from the manifest. */
export function createOnlyPart(manifest: OwnManifest, live: KubeObject): KubeObject {
  const { apiVersion, kind } = manifest.reference;
  const { name, namespace } = live.metadata;
  const identity = { apiVersion, kind, metadata: { name, ...(namespace !== undefined && { namespace }) } };
  return asObject(
    manifest.createOnly.reduce<Readonly<Record<string, unknown>>>((part, path) => {
      const value = valueAt(live, path) ?? valueAt(manifest.whole, path);
      return value === undefined ? part : withField(part, path, value);
    }, identity),
  );
}

/** Whether the fields that are set once are set already. */
export function hasCreator(live: KubeObject): boolean {
  const fields = (live.metadata as { readonly managedFields?: unknown }).managedFields;
  return Array.isArray(fields) && fields.some((entry) => recordOf(entry)['manager'] === creator);
}

/**
 * Whose an object is: the label says so, and that it was this manager who applied the label. Labels are copied with objects, and set by
 * whoever may write them; what a process applied, it knows by the managed fields.
 */
export function ownershipOf(
  { metadata }: KubeObject,
  identity: OwnIdentity,
): 'whole' | 'partial' | 'copied' | undefined {
  const value = ownerValue(identity);
  const { labels = {} } = metadata;
  const label = [ownLabel, partialLabel].find((name) => labels[name] === value);
  if (label === undefined) return undefined;
  if (!hasApplied(metadata, label)) return 'copied';
  return label === ownLabel ? 'whole' : 'partial';
}

function hasApplied(metadata: KubeObject['metadata'], label: string): boolean {
  const { managedFields: entries } = metadata as { readonly managedFields?: unknown };
  return (
    Array.isArray(entries) &&
    entries.map(recordOf).some((entry) => {
      if (entry['manager'] !== manager || entry['operation'] !== 'Apply') return false;
      const fields = recordOf(recordOf(entry['fieldsV1'])['f:metadata']);
      return `f:${label}` in recordOf(fields['f:labels']);
    })
  );
}

/** Owners and what they own are in one namespace. */
function ownedBy({ namespace, name, object }: OwnIdentity, reference: ObjectReference) {
  if (object === undefined || reference.namespace !== namespace) return {};
  return { ownerReferences: [{ ...object, name, controller: false, blockOwnerDeletion: false }] };
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}

function stringsOf(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(recordOf(value)).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
}

/** Made from an object, with its metadata left in. */
function asObject(value: Readonly<Record<string, unknown>>): KubeObject {
  return value as KubeObject;
}
