import { Ajv, type ErrorObject } from 'ajv';
import { parseDocument } from 'yaml';
import type { StructuralSchema } from '../api/structural-schema.ts';
import { templateConfigSchema } from '../api/template-config-schema.ts';
import type { TemplateConfig } from '../api/template-config.ts';
import { CodedError } from '../lib/coded-error.ts';
import { isRecord } from '../lib/is-record.ts';
import { jsonPath } from '../templates/json-path.ts';

/** A library: some fields of `HAProxyTemplateConfig.spec`, as YAML. */
export interface LibraryFile {
  /** For messages: its path. */
  readonly name: string;
  readonly text: string;
}

/**
 * Merges libraries in the order given: what a later one has under a name (a snippet, a map, a resource, a setting) replaces
 * the earlier; objects are merged, lists and texts replaced. Defaults are applied last. Throws `HAPTIC_ERR_CONFIG_INVALID`
 * with every error's file and field; unknown fields are errors too.
 */
export function loadConfig(files: readonly LibraryFile[]): TemplateConfig {
  const ajv = new Ajv({
    strict: true,
    allErrors: true,
    useDefaults: true,
    formats: { int32: true, int64: true },
  });
  ajv.addVocabulary([
    'x-kubernetes-preserve-unknown-fields',
    'x-kubernetes-list-type',
    'x-kubernetes-list-map-keys',
    'x-kubernetes-validations',
  ]);
  const isPartial = ajv.compile(partialSchema(templateConfigSchema));
  const isConfig = ajv.compile<TemplateConfig>(templateConfigSchema);
  const errors: string[] = [];
  let merged: Readonly<Record<string, unknown>> = {};
  for (const file of files) {
    const content = parseYaml(file, errors);
    if (content === undefined) continue;
    if (!isPartial(content))
      errors.push(...(isPartial.errors ?? []).map((error) => `${file.name}: ${wording(error)}`));
    else merged = merge(merged, content);
  }
  if (errors.length > 0) throw invalid(errors);
  const config: unknown = structuredClone(merged);
  if (!isConfig(config)) {
    const names = files.map((file) => file.name).join(', ');
    throw invalid((isConfig.errors ?? []).map((error) => `${names}: ${wording(error)}`));
  }
  const wrong = [...indexErrors(config), ...validatorErrors(config)];
  if (wrong.length > 0) throw invalid(wrong);
  return config;
}

function parseYaml(file: LibraryFile, errors: string[]): Readonly<Record<string, unknown>> | undefined {
  const document = parseDocument(file.text, { prettyErrors: true });
  for (const error of document.errors)
    errors.push(`${file.name}: ${error.message.replace(/:?\n[\s\S]*$/, '')}`);
  if (document.errors.length > 0) return undefined;
  const content: unknown = document.toJS() ?? {};
  if (isRecord(content)) return content;
  errors.push(`${file.name}: an object is expected`);
  return undefined;
}

function merge(
  lower: Readonly<Record<string, unknown>>,
  upper: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const merged = new Map(Object.entries(lower));
  for (const [key, value] of Object.entries(upper)) {
    const held = merged.get(key);
    merged.set(key, isRecord(held) && isRecord(value) ? merge(held, value) : value);
  }
  return Object.fromEntries(merged);
}

/** One file need not have everything, but what it has must be known: nothing required, nothing defaulted, nothing else. */
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

function wording({ instancePath, message, keyword, params }: ErrorObject): string {
  const field = instancePath
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');
  const where = (name: unknown): string => (field === '' ? String(name) : `${field}.${String(name)}`);
  if (keyword === 'additionalProperties') return `${where(params['additionalProperty'])} is no known field`;
  if (keyword === 'required') return `${where(params['missingProperty'])} is missing`;
  if (keyword === 'enum') return `${field} must be one of ${String(params['allowedValues'])}`;
  return `${field === '' ? 'the file' : field} ${message ?? 'is not valid'}`;
}

function indexErrors(config: TemplateConfig): string[] {
  return Object.entries(config.watchedResources).flatMap(([name, { indexBy }]) =>
    (indexBy ?? []).flatMap((path, i) => {
      try {
        jsonPath(path);
        return [];
      } catch (error) {
        return [`watchedResources.${name}.indexBy[${i}]: ${error instanceof Error ? error.message : ''}`];
      }
    }),
  );
}

function validatorErrors({ validators }: TemplateConfig): string[] {
  const names = validators.map(({ name }) => name);
  return names.flatMap((name, index) =>
    names.indexOf(name) === index ? [] : [`validators[${index}].name: there is another ${name}`],
  );
}

function invalid(errors: readonly string[]): CodedError {
  return new CodedError('HAPTIC_ERR_CONFIG_INVALID', errors.join('\n'), { cause: errors });
}
