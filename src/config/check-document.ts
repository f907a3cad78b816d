import { libraryFields } from '../api/library-fields.ts';
import { templateConfigSchema } from '../api/template-config-schema.ts';
import { isNestedDeeper } from '../lib/is-nested-deeper.ts';
import { isRecord } from '../lib/is-record.ts';
import type { Slices } from '../lib/slices.ts';
import { originField, originName, type ConfigDocument } from './config-document.ts';
import type { ConfigError } from './config-error.ts';
import { dropNulls } from './drop-nulls.ts';
import { fieldText } from './field-text.ts';
import { checkPart } from './schema-checks.ts';

/** Deeper than any configuration; what is walked by recursion must end. */
const maxDepth = 100;

/** What is wrong with one document, whatever the others say: unknown fields, wrong types, fields that a library cannot have. */
export function* checkDocument({ origin, spec: given }: ConfigDocument): Slices<readonly ConfigError[]> {
  const tooDeep = isTooDeep(given);
  yield;
  const spec = tooDeep ? given : dropNulls(given, templateConfigSchema);
  const refuse = (path: readonly string[], message: string): ConfigError => ({
    source: originName(origin),
    field: originField(origin, fieldText(path, spec)),
    message,
  });
  if (!isRecord(spec)) return [refuse([], 'must be an object')];
  if (tooDeep) return [refuse([], `is nested more than ${maxDepth} deep`)];
  const foreign =
    origin.kind === 'library'
      ? Object.keys(spec).filter(
          (field) => Object.hasOwn(templateConfigSchema.properties, field) && !isLibraryField(field),
        )
      : [];
  yield;
  const wrong = yield* checkPart(spec);
  return [
    ...foreign.map((field) =>
      refuse([field], 'belongs to a HAProxyTemplateConfig: a library cannot have it'),
    ),
    ...wrong.map(({ path, message }) => refuse(path, message)),
  ];
}

function isLibraryField(field: string): boolean {
  return libraryFields.some((name) => name === field);
}

/** Whether it is nested deeper than any configuration, and not to be walked by recursion. */
export function isTooDeep(root: unknown): boolean {
  return isNestedDeeper(root, maxDepth);
}
