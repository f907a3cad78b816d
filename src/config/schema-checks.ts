import type { ErrorObject, ValidateFunction } from 'ajv';
import { fieldSchemas } from '../api/schema/field-schemas.ts';
import type { Slices } from '../lib/slices.ts';
import type { TemplateConfig } from '../api/template-config.ts';
import { configValidators } from './config-validators.ts';

/** What a schema says about a value. */
export interface SchemaError {
  readonly path: readonly string[];
  /** Goes on after the field. */
  readonly message: string;
}

const isPart = configValidators.part;
const isConfig = configValidators.whole as ValidateFunction<TemplateConfig>;

/** A part of a configuration need not have everything, but what it has must be known and of the right shape. Changes nothing. */
export function* checkPart(spec: Readonly<Record<string, unknown>>): Slices<readonly SchemaError[]> {
  const errors: (readonly SchemaError[])[] = [];
  // What is wrong with a field does not depend on others here.
  for (const [field, value] of Object.entries(spec)) {
    errors.push(isPart({ [field]: value }) ? [] : errorsOf(isPart.errors));
    yield;
  }
  return errors.flat();
}

/** A whole configuration. Defaults are written into `spec`. */
export function checkWhole(
  spec: unknown,
):
  | { readonly ok: true; readonly config: TemplateConfig }
  | { readonly ok: false; readonly errors: readonly SchemaError[] } {
  return isConfig(spec) ? { ok: true, config: spec } : { ok: false, errors: errorsOf(isConfig.errors) };
}

function errorsOf(errors: readonly ErrorObject[] | null | undefined): readonly SchemaError[] {
  return (errors ?? []).map(({ instancePath, message, keyword, params, schema }) => {
    const path = instancePath
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    const more = (name: unknown): readonly string[] => [...path, String(name)];
    if (keyword === 'additionalProperties')
      return { path: more(params['additionalProperty']), message: 'is no known field' };
    if (keyword === 'required') return { path: more(params['missingProperty']), message: 'is missing' };
    if (keyword === 'enum')
      return {
        path,
        message: `must be one of ${[params['allowedValues']].flat().map(shownChoice).join(', ')}`,
      };
    if (keyword === 'pattern') return { path, message: patternMessages.get(String(schema)) ?? message ?? '' };
    return { path, message: message ?? 'is not valid' };
  });
}

const patternMessages: ReadonlyMap<string, string> = new Map([
  [fieldSchemas.duration.pattern, 'must be a duration such as "100ms", "1m30s" or "0"'],
  [fieldSchemas.path.pattern, 'must be an absolute path'],
  [fieldSchemas.objectName.pattern, 'must be a name of small letters, digits, "-" and "."'],
]);

function shownChoice(choice: unknown): string {
  return choice === '' ? '""' : String(choice);
}
