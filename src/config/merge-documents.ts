import { templateConfigSchema } from '../api/template-config-schema.ts';
import type { TemplateConfig } from '../api/template-config.ts';
import { isRecord } from '../lib/is-record.ts';
import type { Slices } from '../lib/slices.ts';
import { checkDocument, isTooDeep } from './check-document.ts';
import { checkLists } from './check-lists.ts';
import { checkMeaning } from './check-meaning.ts';
import { checkRules } from './check-rules.ts';
import { originField, originName, type ConfigDocument } from './config-document.ts';
import type { ConfigError } from './config-error.ts';
import { copyBySchema } from './copy-by-schema.ts';
import { dropNulls } from './drop-nulls.ts';
import { fieldText } from './field-text.ts';
import { mergeSpecs } from './merge-specs.ts';
import { checkWhole, type SchemaError } from './schema-checks.ts';
import { createSourceMap, type SourceMap } from './source-map.ts';
import { valueAt } from './value-at.ts';

/** What came of the documents of a configuration. */
export type Resolution =
  | { readonly ok: true; readonly config: TemplateConfig; readonly sources: SourceMap }
  | { readonly ok: false; readonly errors: readonly ConfigError[] };

type Spec = Readonly<Record<string, unknown>>;

/**
 * Lays documents over each other, the first at the bottom: objects are merged field by field, lists and values replaced.
 * Then defaults are applied and the whole is checked. Errors say which document has the wrong value. What no schema describes is shared
 * with the documents.
 */
export function* mergeDocuments(given: readonly ConfigDocument[]): Slices<Resolution> {
  const documents: ConfigDocument[] = [];
  for (const document of given) {
    documents.push(withoutNulls(document));
    yield;
  }
  const errors: ConfigError[] = [];
  let merged: Spec = {};
  for (const document of documents) {
    const wrong = [...(yield* checkDocument(document)), ...missingSnippets(document, merged)];
    errors.push(...wrong);
    if (wrong.length === 0 && isRecord(document.spec)) merged = mergeSpecs(merged, document.spec);
    yield;
  }
  if (errors.length > 0) return { ok: false, errors };
  const copy = copyBySchema(merged, templateConfigSchema);
  yield;
  const checked = checkWhole(copy);
  yield;
  const wrong = checked.ok
    ? [
        ...(yield* checkRules(templateConfigSchema, checked.config)),
        ...(yield* checkLists(templateConfigSchema, checked.config)),
        ...checkMeaning(checked.config),
      ]
    : checked.errors;
  if (!checked.ok || wrong.length > 0)
    return { ok: false, errors: wrong.map((error) => blame(error, documents, merged)) };
  return { ok: true, config: checked.config, sources: createSourceMap(documents) };
}

/** What is nested too deep is left alone: it is refused as it stands. */
function withoutNulls({ origin, spec }: ConfigDocument): ConfigDocument {
  return { origin, spec: isTooDeep(spec) ? spec : dropNulls(spec, templateConfigSchema) };
}

/** Snippets that are said to replace another which is not there. */
function missingSnippets({ origin, spec }: ConfigDocument, below: Spec): readonly ConfigError[] {
  const snippets = valueAt(spec, ['templateSnippets']);
  return Object.entries(isRecord(snippets) ? snippets : {})
    .filter(([, snippet]) => isRecord(snippet) && snippet['overrides'] === true)
    .filter(([name]) => valueAt(below, ['templateSnippets', name]) === undefined)
    .map(([name]) => ({
      source: originName(origin),
      field: originField(origin, `templateSnippets.${name}.overrides`),
      message: `is true, but no library before has a snippet ${name}`,
    }));
}

/** Whose value it is: the last document that says something there; of what is missing, the last that has what lacks it. */
function blame(
  { path, message }: SchemaError,
  documents: readonly ConfigDocument[],
  merged: Spec,
): ConfigError {
  const own = documents.findLast(({ origin }) => origin.kind === 'object');
  const prefixes = path.map((_, index) => path.slice(0, path.length - index));
  const owners = prefixes.flatMap(
    (prefix) => documents.findLast(({ spec }) => valueAt(spec, prefix) !== undefined) ?? [],
  );
  const owner = owners[0] ?? own;
  const field = fieldText(path, merged);
  if (owner === undefined)
    return { source: documents.map(({ origin }) => originName(origin)).join(', '), field, message };
  return { source: originName(owner.origin), field: originField(owner.origin, field), message };
}
