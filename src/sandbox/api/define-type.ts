import type { ApiObject } from './api-object.ts';
import { getIn } from './json.ts';
import type { Column, ResourceType } from './resource-type.ts';
import { anything } from './schema.ts';

type TypeDefinition = Pick<ResourceType, 'group' | 'version' | 'plural' | 'kind' | 'namespaced'> &
  Partial<ResourceType>;

/** A kind with the usual answers where `definition` gives none. */
export function defineType(definition: TypeDefinition): ResourceType {
  return {
    singular: definition.kind.toLowerCase(),
    shortNames: [],
    categories: [],
    storage: `${definition.group}/${definition.plural}`,
    names: 'subdomain',
    schema: anything,
    status: false,
    generation: false,
    columns: [],
    selectableFields: {},
    ...definition,
  };
}

/** A column that shows one field as it is. */
export function fieldColumn(name: string, path: string, more: Partial<Column> = {}): Column {
  const fields = path.split('.');
  return { name, type: 'string', cell: (object) => getIn(object, fields), ...more };
}

/** Selectable fields that are text in the object at the path of their own name. */
export function selectable(...paths: readonly string[]): Record<string, (object: ApiObject) => string> {
  return Object.fromEntries(
    paths.map((path) => {
      const fields = path.split('.');
      return [
        path,
        (object: ApiObject) => {
          const value = getIn(object, fields);
          return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
        },
      ];
    }),
  );
}
