import type { ApiObject, ManagedFields } from './api-object.ts';
import { apiError } from './api-status.ts';
import {
  differenceOf,
  emptyFieldSet,
  formatFieldSet,
  intersectionOf,
  isEmptyFieldSet,
  parseFieldTrie,
  pathsOf,
  unionOf,
  type FieldSet,
} from './field-set.ts';
import { compareFields, fieldsOf, mergeConfiguration, removeFields } from './field-walk.ts';
import { isRecord } from './json.ts';
import type { Schema } from './schema.ts';

/** Who writes: identity of a managedFields entry. */
export interface Writer {
  readonly manager: string;
  readonly apiVersion: string;
  readonly subresource: string;
  /** RFC 3339, seconds. */
  readonly time: string;
}

interface Manager extends Omit<ManagedFields, 'fieldsV1' | 'fieldsType'> {
  readonly fields: FieldSet;
}

/** Fields that nobody owns: identity and what the server itself sets. */
const ignored = parseFieldTrie({
  'f:apiVersion': {},
  'f:kind': {},
  'f:metadata': {
    '.': {},
    'f:name': {},
    'f:namespace': {},
    'f:uid': {},
    'f:resourceVersion': {},
    'f:generation': {},
    'f:creationTimestamp': {},
    'f:deletionTimestamp': {},
    'f:deletionGracePeriodSeconds': {},
    'f:selfLink': {},
  },
});

/**
 * Records an ordinary write: `writer` owns what it added or changed, nobody owns what it removed. A write that sends an
 * empty `managedFields` list resets them, as with kube-apiserver.
 */
export function trackUpdate(
  before: ApiObject | undefined,
  after: ApiObject,
  schema: Schema,
  writer: Writer,
): ApiObject {
  const { changed, removed } = compareFields(content(before), content(after), schema);
  const mine = differenceOf(changed, ignored);
  const others = readManagers(after).map((manager) => ({
    ...manager,
    fields: differenceOf(
      differenceOf(manager.fields, removed),
      isSame(manager, writer, 'Update') ? emptyFieldSet() : mine,
    ),
  }));
  if (isEmptyFieldSet(mine)) return withManagers(after, others);
  const own = others.find((manager) => isSame(manager, writer, 'Update'));
  const fields = own === undefined ? mine : unionOf(own.fields, mine);
  return withManagers(after, [
    ...others.filter((manager) => manager !== own),
    entry(writer, 'Update', fields),
  ]);
}

/**
 * Server-side apply of `config` onto `live` (absent: create). Gives the merged object with its managers; the object is
 * `live` itself when nothing changes. Fields that others own and that would change are a 409 with one cause each,
 * unless `force` takes them over. What this manager applied before and no longer states is removed unless shared.
 */
export function applyConfiguration(
  live: ApiObject | undefined,
  config: ApiObject,
  schema: Schema,
  writer: Writer,
  force: boolean,
): ApiObject {
  const stated = differenceOf(fieldsOf(content(config), schema), ignored);
  const merged = mergeConfiguration(content(live) ?? {}, content(config), schema);
  const managers = live === undefined ? [] : readManagers(live);
  const last = managers.find((manager) => isSame(manager, writer, 'Apply'));
  const { changed } = compareFields(content(live) ?? {}, merged, schema);
  let others = managers.filter((manager) => manager !== last);
  const conflicts = others
    .map((manager) => ({ manager, fields: intersectionOf(manager.fields, changed) }))
    .filter(({ fields }) => !isEmptyFieldSet(fields));
  if (conflicts.length > 0 && !force) throw conflictError(conflicts);
  others = others.map((manager) => ({
    ...manager,
    fields: differenceOf(manager.fields, intersectionOf(changed, stated)),
  }));
  const kept = others.reduce((union, manager) => unionOf(union, manager.fields), stated);
  const gone = last === undefined ? emptyFieldSet() : differenceOf(last.fields, kept);
  const pruned = isEmptyFieldSet(gone) ? merged : (removeFields(merged, gone, kept, schema) ?? {});
  const result = asObject(pruned, live ?? config);
  const unchanged =
    last !== undefined &&
    isEmptyFieldSet(differenceOf(stated, last.fields)) &&
    isEmptyFieldSet(differenceOf(last.fields, stated));
  const mine =
    unchanged && last.time !== undefined
      ? entry({ ...writer, time: last.time }, 'Apply', stated)
      : entry(writer, 'Apply', stated);
  return withManagers(result, [...others, mine]);
}

function conflictError(conflicts: readonly { manager: Manager; fields: FieldSet }[]): Error {
  const causes = conflicts.flatMap(({ manager, fields }) => {
    const using = manager.operation === 'Update' ? ` using ${manager.apiVersion}` : '';
    const part = manager.subresource === undefined ? '' : ` with subresource "${manager.subresource}"`;
    return pathsOf(fields).map((field) => ({
      reason: 'FieldManagerConflict' as const,
      message: `conflict with "${manager.manager}"${part}${using}`,
      field,
    }));
  });
  const first = causes[0];
  const text =
    causes.length === 1 && first !== undefined
      ? `Apply failed with 1 conflict: ${first.message}: ${first.field}`
      : `Apply failed with ${causes.length} conflicts: ${causes.map((cause) => `${cause.message}: ${cause.field}`).join('\n')}`;
  return apiError(409, text, { details: { causes } });
}

function entry(writer: Writer, operation: 'Apply' | 'Update', fields: FieldSet): Manager {
  const { manager, apiVersion, subresource, time } = writer;
  return { manager, operation, apiVersion, time, fields, ...(subresource === '' ? {} : { subresource }) };
}

function isSame(manager: Manager, writer: Writer, operation: string): boolean {
  return (
    manager.manager === writer.manager &&
    manager.operation === operation &&
    (manager.subresource ?? '') === writer.subresource
  );
}

function readManagers(object: ApiObject): Manager[] {
  return (object.metadata.managedFields ?? []).map(({ fieldsV1, fieldsType: _, ...rest }) => ({
    ...rest,
    fields: parseFieldTrie(fieldsV1),
  }));
}

function withManagers(object: ApiObject, managers: readonly Manager[]): ApiObject {
  const managedFields = managers
    .filter(({ fields }) => !isEmptyFieldSet(fields))
    .map(({ fields, manager, operation, apiVersion, time, subresource }) => ({
      manager,
      operation,
      apiVersion,
      ...(time === undefined ? {} : { time }),
      fieldsType: 'FieldsV1' as const,
      fieldsV1: formatFieldSet(fields),
      ...(subresource === undefined ? {} : { subresource }),
    }));
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata: managedFields.length === 0 ? metadata : { ...metadata, managedFields } };
}

/** The object without its managers, which are not fields to own. */
function content(object: ApiObject | undefined): unknown {
  if (object?.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function asObject(value: unknown, base: ApiObject): ApiObject {
  const fields = isRecord(value) ? value : {};
  const metadata = isRecord(fields['metadata']) ? fields['metadata'] : {};
  const { managedFields } = base.metadata;
  return {
    ...fields,
    apiVersion: base.apiVersion,
    kind: base.kind,
    metadata: {
      ...metadata,
      name: base.metadata.name,
      ...(managedFields === undefined ? {} : { managedFields }),
    },
  };
}
