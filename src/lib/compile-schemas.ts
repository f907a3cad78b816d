import { Ajv, type Options, type ValidateFunction } from 'ajv';

/**
 * Validators of JSON Schemas, by name. Strict: an unknown keyword is an error of the schema. Called from a file `x-validators.ts`, whose bundle
 * has the validators as code and no Ajv; its options then stand in `x-validator-options.ts`.
 */
export function compileSchemas<Schemas extends Readonly<Record<string, object>>>(
  schemas: Schemas,
  options: Options = {},
): { readonly [Name in keyof Schemas]: ValidateFunction } {
  const ajv = new Ajv({ ...options, strict: true });
  const compiled = Object.entries(schemas).map(([name, schema]) => [name, ajv.compile(schema)] as const);
  return Object.fromEntries(compiled) as { [Name in keyof Schemas]: ValidateFunction };
}
