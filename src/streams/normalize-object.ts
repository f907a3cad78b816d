import type { KubeObject } from '../api/kube-object.ts';
import { isNestedDeeper } from '../lib/is-nested-deeper.ts';
import { maxNesting } from '../lib/max-nesting.ts';
import type { Problem } from '../lib/problem.ts';

export type NormalizedObject =
  | { readonly ok: true; readonly object: KubeObject }
  | { readonly ok: false; readonly problem: Problem; readonly resourceVersion?: string };

/** Filled in where the object itself does not say, as the items of typed lists do not. */
export interface TypeHint {
  readonly apiVersion: string;
  /** `Ingress`; or the plural resource name when the kind is not known. */
  readonly kind: string;
  /** Whoever reads these objects does not mind how deep they are nested. */
  readonly anyDepth?: boolean;
}

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

type Fields = Record<string, unknown>;

/**
 * Checks what every reader of a store relies on (a name, strings where metadata has strings, objects where the top level
 * has objects, nothing that is nested without end), and takes out `metadata.managedFields` and the last-applied annotation, which nobody reads and which can
 * be half of an object. Works in place on a freshly parsed value, on its first level only; its metadata is built anew.
 */
export function normalizeObject(value: unknown, hint: TypeHint): NormalizedObject {
  if (!isFields(value)) return refuse(hint, {}, '', 'is not an object');
  const metadata = value['metadata'];
  const fields: Fields = isFields(metadata) ? metadata : {};
  const refused = (field: string, what: string): NormalizedObject => refuse(hint, fields, field, what);

  if (!isFields(metadata)) return refused('metadata', 'is missing or not an object');
  if (typeof metadata['name'] !== 'string' || metadata['name'] === '')
    return refused('metadata.name', 'is missing or not a string');
  for (const name of ['namespace', 'uid', 'resourceVersion', 'creationTimestamp', 'deletionTimestamp'])
    if (!isAbsent(metadata[name]) && typeof metadata[name] !== 'string')
      return refused(`metadata.${name}`, 'is not a string');
  for (const name of ['labels', 'annotations']) {
    const map = metadata[name];
    if (isAbsent(map)) continue;
    if (!isFields(map)) return refused(`metadata.${name}`, 'is not an object');
    for (const key in map)
      if (typeof map[key] !== 'string') return refused(`metadata.${name}[${key}]`, 'is not a string');
  }
  for (const name of ['spec', 'status'])
    if (!isAbsent(value[name]) && !isFields(value[name])) return refused(name, 'is not an object');
  for (const name of ['kind', 'apiVersion'])
    if (!isAbsent(value[name]) && typeof value[name] !== 'string') return refused(name, 'is not a string');

  value['metadata'] = stripped(metadata);
  if (hint.anyDepth !== true && isNestedDeeper(value, maxNesting))
    return refused('', `is nested more than ${maxNesting} deep`);
  // Every object of a kind says the same: they may all say it with one string.
  value['apiVersion'] = sameOr(value['apiVersion'], hint.apiVersion);
  value['kind'] = sameOr(value['kind'], hint.kind);
  return { ok: true, object: value as unknown as KubeObject };
}

const optional = new Set(['namespace', 'labels', 'annotations', 'deletionTimestamp', 'creationTimestamp']);

/**
 * The metadata that is kept. `null` where a field is optional means the same as no field: Go servers may send either. Built
 * anew: deleting a property from the middle of an object makes a hash table of it for life, several times as large.
 */
function stripped(metadata: Fields): Fields {
  const kept: Fields = {};
  for (const name in metadata) {
    const value = metadata[name];
    if (name === 'managedFields' || name === '__proto__' || (value === null && optional.has(name))) continue;
    kept[name] =
      name === 'annotations' && isFields(value) && lastApplied in value ? without(value, lastApplied) : value;
  }
  return kept;
}

function without(fields: Fields, left: string): Fields {
  const kept: Fields = {};
  for (const name in fields) if (name !== left && name !== '__proto__') kept[name] = fields[name];
  return kept;
}

function sameOr(value: unknown, wanted: string): unknown {
  return value === undefined || value === null || value === wanted ? wanted : value;
}

function refuse(hint: TypeHint, metadata: Fields, field: string, what: string): NormalizedObject {
  const name = typeof metadata['name'] === 'string' ? metadata['name'] : '';
  const namespace = typeof metadata['namespace'] === 'string' ? metadata['namespace'] : '';
  const version = metadata['resourceVersion'];
  return {
    ok: false,
    problem: {
      severity: 'error',
      reason: 'MalformedObject',
      field,
      message: `${field === '' ? 'the object' : field} ${what}; the object is ignored`,
      owner: { kind: hint.kind, namespace, name },
    },
    ...(typeof version === 'string' ? { resourceVersion: version } : {}),
  };
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
