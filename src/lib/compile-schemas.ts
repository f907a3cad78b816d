import { Ajv, type ValidateFunction } from 'ajv';

/** Validators of JSON Schemas, by name. Strict: an unknown keyword is an error of the schema. */
export function compileSchemas<Schemas extends Readonly<Record<string, object>>>(
  schemas: Schemas,
): { readonly [Name in keyof Schemas]: ValidateFunction } {
  const ajv = new Ajv({ strict: true });
  const compiled = Object.entries(schemas).map(([name, schema]) => [name, ajv.compile(schema)] as const);
  return Object.fromEntries(compiled) as { [Name in keyof Schemas]: ValidateFunction };
}
