import { formatAge } from './age.ts';
import type { ApiObject } from './api-object.ts';
import type { Column, ResourceType } from './resource-type.ts';

const nameColumn: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'Name must be unique within a namespace.',
  cell: (object) => object.metadata.name,
};
const ageColumn: Column = {
  name: 'Age',
  type: 'date',
  description: 'Time since the object was made.',
  cell: (object) => object.metadata.creationTimestamp,
};

export type IncludeObject = 'None' | 'Metadata' | 'Object';

/** The columns of a kind, with Name first and Age where the kind has none of its own placing. */
function columnsOf(type: ResourceType): readonly Column[] {
  if (type.columns.some((column) => column.name === 'Name' || column.format === 'name')) return type.columns;
  if (type.custom !== undefined && type.columns.length > 0) return [nameColumn, ...type.columns];
  if (type.columns.some((column) => column.name === 'Age')) return [nameColumn, ...type.columns];
  const narrow = type.columns.filter((column) => (column.priority ?? 0) === 0);
  const wide = type.columns.filter((column) => (column.priority ?? 0) > 0);
  return [nameColumn, ...narrow, ageColumn, ...wide];
}

/** A `meta.k8s.io/v1` Table of these objects: what `kubectl get` prints. */
export function tableOf(
  type: ResourceType,
  objects: readonly ApiObject[],
  metadata: Readonly<Record<string, unknown>>,
  include: IncludeObject,
  now: Date,
): unknown {
  const columns = columnsOf(type);
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: columns.map(({ name, type: kind, format = '', description = '', priority = 0 }) => ({
      name,
      type: kind === 'date' && type.custom === undefined ? 'string' : kind,
      format,
      description,
      priority,
    })),
    rows: objects.map((object) => ({
      cells: columns.map((column) => formatCell(column, object, now)),
      ...(include === 'None' ? {} : { object: include === 'Object' ? object : partialOf(object) }),
    })),
  };
}

/** PartialObjectMetadata: an object without anything but its metadata. */
export function partialOf(object: ApiObject): unknown {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata };
}

function formatCell(column: Column, object: ApiObject, now: Date): unknown {
  const value = column.cell(object);
  if (column.type === 'date') {
    const time = typeof value === 'string' ? Date.parse(value) : NaN;
    return Number.isNaN(time) ? '<unknown>' : formatAge(now.getTime() - time);
  }
  return value ?? (column.type === 'string' ? '' : null);
}
