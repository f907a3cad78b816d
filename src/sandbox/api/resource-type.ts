import type { ApiObject } from './api-object.ts';
import type { Cause } from './api-status.ts';
import type { Schema } from './schema.ts';
import type { NameRule } from './validate-metadata.ts';

/** One column of the table that `kubectl get` prints. Columns of `priority` 1 are shown by `-o wide` only. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  /** The cell: a `date` cell gives the RFC 3339 time, the printer makes an age of it. */
  readonly cell: (object: ApiObject) => unknown;
}

/** Where the `/scale` subresource reads and writes. */
export interface ScalePaths {
  readonly replicas: readonly string[];
  readonly statusReplicas: readonly string[];
  /** The selector as text, for `status.selector`. */
  readonly selector: (object: ApiObject) => string;
}

/**
 * One kind in one API version. Types with the same `storage` are views of the same objects (an Event in `v1` and in
 * `events.k8s.io/v1`; the versions of a CRD).
 */
export interface ResourceType {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly storage: string;
  readonly names: NameRule;
  readonly schema: Schema;
  /** Has a `/status` subresource: then ordinary writes leave `status` alone and status writes leave the rest alone. */
  readonly status: boolean;
  readonly scale?: ScalePaths;
  /** `metadata.generation` counts changes outside metadata and status. */
  readonly generation: boolean;
  readonly columns: readonly Column[];
  /** Fields besides metadata.name and metadata.namespace that a field selector may use. */
  readonly selectableFields: Readonly<Record<string, (object: ApiObject) => string>>;
  /** Fills in defaults, before validation, on create and update. */
  readonly setDefaults?: (object: ApiObject, previous: ApiObject | undefined) => ApiObject;
  /** What the schema cannot say. `previous` is there on updates (immutable fields). */
  readonly validate?: (object: ApiObject, previous: ApiObject | undefined) => readonly Cause[];
  /** A kind of a CRD: checked by its own schema, which names each wrong value. */
  readonly custom?: CustomRules;
  readonly toStorage?: (object: ApiObject) => ApiObject;
  readonly fromStorage?: (object: ApiObject) => ApiObject;
  /** Does not store: answers a create with its own result (reviews). */
  readonly answer?: (object: ApiObject, user: string) => ApiObject;
}

export interface CustomRules {
  readonly validate: (object: ApiObject) => readonly Cause[];
}

export function apiVersionOf(type: Pick<ResourceType, 'group' | 'version'>): string {
  return type.group === '' ? type.version : `${type.group}/${type.version}`;
}

/** `ingresses.networking.k8s.io`, the form used in messages. */
export function qualifiedName(type: Pick<ResourceType, 'group' | 'plural'>): string {
  return type.group === '' ? type.plural : `${type.plural}.${type.group}`;
}
