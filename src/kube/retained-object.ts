import { createHash } from 'node:crypto';
import { apiGroup } from '../api/api-group.ts';
import type { FromSchema } from '../api/from-schema.ts';
import type { KubeObject, ObjectMeta } from '../api/kube-object.ts';
import type { retainedSchemas } from '../api/schema/retained-schemas.ts';
import { isRecord } from '../lib/is-record.ts';
import type { RetainedConfig } from '../protocol/retained-config.ts';
import { managedBy } from './own-object.ts';
import {
  checksumAnnotation,
  configurationLabel,
  configurationValue,
  type PublishedOwner,
  retainedType,
  typeLabel,
} from './published-object.ts';

/** `spec.retained` of a HAProxyCfg. */
export type RetainedSpec = FromSchema<typeof retainedSchemas.spec>;

/** A HAProxyCfg of a retained render that is there. */
export interface KnownRetained extends RetainedConfig {
  /** How many Secrets belong to it; 0: somebody has edited that. */
  readonly parts: number;
}

/** A render in the form in which it is kept. */
export interface Checkpoint {
  readonly planId: string;
  /** `sha256:<hex>` of haproxy.cfg. */
  readonly checksum: string;
  /** Where haproxy.cfg lies in the pods. */
  readonly path: string;
  /** Its text as people may see it. */
  readonly shown: { readonly text: string; readonly compressed: boolean };
  /** Everything, in parts that fit into a Secret each; with the checksum of each. */
  readonly parts: readonly { readonly bytes: Uint8Array; readonly checksum: string }[];
  readonly matchLabels: Readonly<Record<string, string>>;
  readonly port: number;
  readonly deliveredTo: RetainedSpec['deliveredTo'];
}

const planAnnotation = 'haproxy-haptic.org/plan-id';
const partsAnnotation = 'haproxy-haptic.org/parts';
/** Key of the Secret's data. */
const partKey = 'part';
const longest = 253;

/** Name of the HAProxyCfg: `web-retained-<digest>`, a function of what is kept and of whose it is. */
export function retainedName(
  configuration: string,
  { planId, checksum }: Pick<Checkpoint, 'planId' | 'checksum'>,
): string {
  const content = JSON.stringify([configuration, planId, checksum]);
  const mark = `-retained-${createHash('sha256').update(content).digest('hex').slice(0, 20)}`;
  // A part's number comes after it.
  return `${configuration.slice(0, longest - mark.length - 4).replace(/[-.]+$/, '')}${mark}`;
}

export function partName(name: string, index: number): string {
  return `${name}-${index}`;
}

/** What all objects of a configuration's retained renders have in common. */
export function retainedSelector(configuration: string): string {
  return `${configurationLabel}=${configurationValue(configuration)},${typeLabel}=${retainedType}`;
}

function labelsOf(configuration: string): Readonly<Record<string, string>> {
  return {
    [managedBy]: 'haptic',
    [configurationLabel]: configurationValue(configuration),
    [typeLabel]: retainedType,
  };
}

function ownersOf(owner: PublishedOwner | undefined) {
  if (owner === undefined) return {};
  const { kind, name, uid } = owner;
  const { apiVersion } = apiGroup;
  return { ownerReferences: [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: false }] };
}

export function retainedManifest(
  name: string,
  checkpoint: Checkpoint,
  whose: {
    readonly namespace: string;
    readonly configuration: string;
    readonly owner: PublishedOwner | undefined;
  },
): KubeObject {
  const { planId, checksum, path, shown, parts, matchLabels, port, deliveredTo } = checkpoint;
  const retained: RetainedSpec = {
    planID: planId,
    parts: parts.map((part, index) => ({ name: partName(name, index), checksum: part.checksum })),
    matchLabels,
    port,
    deliveredTo,
  };
  return {
    apiVersion: apiGroup.apiVersion,
    kind: 'HAProxyCfg',
    metadata: {
      name,
      namespace: whose.namespace,
      labels: labelsOf(whose.configuration),
      annotations: {
        [planAnnotation]: planId,
        [checksumAnnotation]: checksum,
        [partsAnnotation]: String(parts.length),
      },
      ...ownersOf(whose.owner),
    },
    spec: { path, content: shown.text, compressed: shown.compressed, checksum, retained },
  };
}

export function partManifest(
  name: string,
  bytes: Uint8Array,
  whose: { readonly namespace: string; readonly configuration: string; readonly owner: PublishedOwner },
): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace: whose.namespace,
      labels: labelsOf(whose.configuration),
      ...ownersOf(whose.owner),
    },
    type: 'Opaque',
    data: { [partKey]: Buffer.from(bytes).toString('base64') },
  };
}

/** What a Secret's part holds; undefined: it is none. */
export function partBytes(secret: KubeObject): Buffer | undefined {
  const data = isRecord(secret['data']) ? secret['data'][partKey] : undefined;
  return typeof data === 'string' ? Buffer.from(data, 'base64') : undefined;
}

/** What is known of a retained render by its metadata; undefined: it is none of this configuration. */
export function knownRetained(metadata: ObjectMeta, configuration: string): KnownRetained | undefined {
  const { name, uid = '', labels = {}, annotations = {} } = metadata;
  const isOurs = Object.entries(labelsOf(configuration)).every(([key, value]) => labels[key] === value);
  if (!isOurs) return undefined;
  return {
    name,
    uid,
    planID: annotations[planAnnotation] ?? '',
    checksum: annotations[checksumAnnotation] ?? '',
    parts: Number(/^\d{1,2}$/.exec(annotations[partsAnnotation] ?? '')?.[0] ?? 0),
  };
}

/** `spec.retained` as it was read; undefined: there is none that makes sense. */
export function retainedSpec({ spec }: KubeObject): RetainedSpec | undefined {
  const retained = isRecord(spec) ? spec['retained'] : undefined;
  if (!isRecord(retained)) return undefined;
  const { planID, parts, matchLabels = {}, port, deliveredTo = [] } = retained;
  const isPart = (part: unknown): part is RetainedSpec['parts'][number] =>
    isRecord(part) && typeof part['name'] === 'string' && typeof part['checksum'] === 'string';
  if (typeof planID !== 'string' || !Array.isArray(parts) || !parts.every(isPart)) return undefined;
  const isLabels = (value: unknown): value is Readonly<Record<string, string>> =>
    isRecord(value) && Object.values(value).every((one) => typeof one === 'string');
  return {
    planID,
    parts,
    ...(isLabels(matchLabels) && { matchLabels }),
    ...(typeof port === 'number' && { port }),
    deliveredTo: Array.isArray(deliveredTo) ? deliveredTo.filter(isReceipt) : [],
  };
}

function isReceipt(value: unknown): value is RetainedSpec['deliveredTo'][number] {
  return isRecord(value) && typeof value['podName'] === 'string';
}

/** `status.retainedConfigs` of the HAProxyCfg that shows what runs. */
export function retainedConfigs(status: unknown): readonly RetainedConfig[] {
  const list = isRecord(status) ? status['retainedConfigs'] : undefined;
  return Array.isArray(list) ? list.filter(isRetainedConfig) : [];
}

function isRetainedConfig(value: unknown): value is RetainedConfig {
  return (
    isRecord(value) &&
    ['name', 'uid', 'planID', 'checksum'].every((field) => typeof value[field] === 'string')
  );
}
