import type { StructuralSchema } from '../structural-schema.ts';

/**
 * The schema with every default told by the description of its field, since `kubectl explain` prints nothing else. With `keep` the API
 * server fills them in; without, whoever reads the object has to.
 */
export function tellDefaults(schema: StructuralSchema, keep: boolean): StructuralSchema {
  const { default: value, description, properties, additionalProperties, items, ...rest } = schema;
  const text = [description, defaultText(value)].filter((part) => part !== undefined).join(' ');
  return {
    ...rest,
    ...(text !== '' && { description: text }),
    ...(keep && value !== undefined && { default: value }),
    ...(items !== undefined && { items: tellDefaults(items, keep) }),
    ...(additionalProperties !== undefined && {
      additionalProperties: tellDefaults(additionalProperties, keep),
    }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, tellDefaults(property, keep)]),
      ),
    }),
  };
}

/** Of a default that says something: an empty object or list is what a reader expects anyway. */
function defaultText(value: unknown): string | undefined {
  if (value === undefined || value === '') return undefined;
  if (typeof value === 'object' && value !== null && Object.keys(value).length === 0) return undefined;
  return `Default: ${typeof value === 'string' ? value : JSON.stringify(value)}.`;
}
