import type { ApiObject } from '../api-object.ts';
import { builtinMessage } from '../builtin/builtin-schemas.ts';
import { defineType } from '../define-type.ts';
import { cellText, getIn, isRecord, listOf, textOf } from '../json.ts';
import { formatMatchLabels } from '../label-selector.ts';
import type { Column, ResourceType, ScalePaths } from '../resource-type.ts';
import type { Schema } from '../schema.ts';
import { parseJsonPath } from './json-path.ts';
import { applyDefaults } from './structural-defaults.ts';
import { createStructuralValidator } from './structural-validator.ts';

/** The kinds that a CRD adds: one for each served version, all of the same objects. */
export function customTypes(crd: ApiObject): readonly ResourceType[] {
  const spec = crd['spec'];
  const versions = listOf(getIn(spec, ['versions'])).filter(isRecord);
  const storage = versions.find((version) => version['storage'] === true);
  return versions
    .filter((version) => version['served'] === true)
    .map((version) => customType(spec, version, textOf(storage?.['name'])));
}

function customType(
  spec: unknown,
  version: Readonly<Record<string, unknown>>,
  storageVersion: string,
): ResourceType {
  const names = getIn(spec, ['names']);
  const group = textOf(getIn(spec, ['group']));
  const kind = textOf(getIn(names, ['kind']));
  const plural = textOf(getIn(names, ['plural']));
  const name = textOf(version['name']);
  const given = getIn(version, ['schema', 'openAPIV3Schema']);
  const own: Schema = isRecord(given) ? given : {};
  const schema = objectSchema(own);
  const validate = createStructuralValidator(own);
  const scale = scaleOf(getIn(version, ['subresources', 'scale']));
  return defineType({
    group,
    version: name,
    plural,
    kind,
    singular: textOf(getIn(names, ['singular'])) || kind.toLowerCase(),
    shortNames: listOf(getIn(names, ['shortNames'])).map(String),
    categories: listOf(getIn(names, ['categories'])).map(String),
    namespaced: getIn(spec, ['scope']) === 'Namespaced',
    schema,
    status: isRecord(getIn(version, ['subresources', 'status'])),
    generation: true,
    ...(scale === undefined ? {} : { scale }),
    columns: columnsOf(version),
    selectableFields: selectableFieldsOf(version),
    setDefaults: (object) => withDefaults(object, own),
    custom: { validate },
    toStorage: (object) => ({ ...object, apiVersion: `${group}/${storageVersion}` }),
    fromStorage: (object) => ({ ...object, apiVersion: `${group}/${name}` }),
  });
}

/** The CRD's schema with the fields that every object has. */
function objectSchema(own: Schema): Schema {
  return {
    ...own,
    type: 'object',
    properties: {
      apiVersion: { type: 'string', description: 'Group and version of this representation of the object.' },
      kind: { type: 'string', description: 'Kind of the object, CamelCase.' },
      ...own.properties,
      metadata: { ...builtinMessage('meta.ObjectMeta'), origin: builtinMessage('meta.ObjectMeta') },
    },
  };
}

function withDefaults(object: ApiObject, schema: Schema): ApiObject {
  const { metadata: _, ...properties } = schema.properties ?? {};
  return applyDefaults(object, { ...schema, properties }) as ApiObject;
}

function columnsOf(version: Readonly<Record<string, unknown>>): readonly Column[] {
  const columns = listOf(version['additionalPrinterColumns']).filter(isRecord);
  if (columns.length === 0)
    return [{ name: 'Age', type: 'date', cell: (object) => object.metadata.creationTimestamp }];
  return columns.map((column) => {
    const type = columnType(column['type']);
    const read = parseJsonPath(textOf(column['jsonPath']));
    return {
      name: textOf(column['name']),
      type,
      description: textOf(column['description']),
      format: textOf(column['format']),
      priority: Number(column['priority'] ?? 0),
      cell: (object) => formatFound(read?.(object) ?? [], type),
    };
  });
}

function columnType(type: unknown): Column['type'] {
  return type === 'integer' || type === 'number' || type === 'boolean' || type === 'date' ? type : 'string';
}

function formatFound(values: readonly unknown[], type: Column['type']): unknown {
  if (values.length === 0) return undefined;
  if (type !== 'string') return values[0];
  return values
    .map((value) => (typeof value === 'object' ? JSON.stringify(value) : cellText(value)))
    .join(',');
}

function selectableFieldsOf(
  version: Readonly<Record<string, unknown>>,
): Readonly<Record<string, (object: ApiObject) => string>> {
  return Object.fromEntries(
    listOf(version['selectableFields']).map((field) => {
      const path = textOf(getIn(field, ['jsonPath'])).replace(/^\./, '');
      return [path, (object: ApiObject) => cellText(getIn(object, path.split('.')))];
    }),
  );
}

function scaleOf(scale: unknown): ScalePaths | undefined {
  if (!isRecord(scale)) return undefined;
  const path = (field: string) => textOf(scale[field]).replace(/^\./, '').split('.');
  const selectorPath = textOf(scale['labelSelectorPath']) === '' ? undefined : path('labelSelectorPath');
  return {
    replicas: path('specReplicasPath'),
    statusReplicas: path('statusReplicasPath'),
    selector: (object) => {
      const selector = selectorPath === undefined ? '' : getIn(object, selectorPath);
      if (!isRecord(selector)) return textOf(selector);
      return formatMatchLabels(
        Object.fromEntries(Object.entries(selector).map(([key, value]) => [key, cellText(value)])),
      );
    },
  };
}
