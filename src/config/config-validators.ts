import type { StructuralSchema } from '../api/structural-schema.ts';
import { templateConfigSchema } from '../api/template-config-schema.ts';
import { compileSchemas } from '../lib/compile-schemas.ts';
import { configValidatorOptions } from './config-validator-options.ts';

/** Of a part of a configuration and of a whole one, into which they write the defaults. Compiled ahead in the bundle. */
export const configValidators = compileSchemas(
  { part: partialSchema(templateConfigSchema), whole: templateConfigSchema },
  configValidatorOptions,
);

/** Nothing required, nothing defaulted, nothing else than what is known. */
function partialSchema(schema: StructuralSchema): object {
  const { required: _required, default: _default, properties, additionalProperties, items, ...rest } = schema;
  return {
    ...rest,
    ...(items === undefined ? {} : { items: partialSchema(items) }),
    ...(additionalProperties === undefined
      ? {}
      : { additionalProperties: partialSchema(additionalProperties) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, property]) => [name, partialSchema(property)]),
          ),
          additionalProperties: false,
        }),
  };
}
