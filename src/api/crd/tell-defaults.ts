import type { StructuralSchema } from '../structural-schema.ts';

/**
 * The schema with every default told by the description of its field, and nowhere else: whoever reads the object fills them in. From the API server an older
 * controller would get fields that it does not know, and refuse the configuration, since CRDs stay at the newer version when a release is rolled back.
 */
export function tellDefaults(schema: StructuralSchema): StructuralSchema {
  const { default: value, description, properties, additionalProperties, items, ...rest } = schema;
  const text = [description, defaultText(value)].filter((part) => part !== undefined).join(' ');
  return {
    ...rest,
    ...(text !== '' && { description: text }),
    ...(items !== undefined && { items: tellDefaults(items) }),
    ...(additionalProperties !== undefined && {
      additionalProperties: tellDefaults(additionalProperties),
    }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, tellDefaults(property)]),
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
