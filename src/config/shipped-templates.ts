import { isRecord } from '../lib/is-record.ts';
import type { ConfigLibrary } from './config-library.ts';
import { valueAt } from './value-at.ts';

/**
 * Templates of the configuration and snippets that libraries bring, by the names that places have: what a configuration has of the same
 * name and text is theirs, wherever it was read.
 */
export function shippedTemplates(libraries: readonly ConfigLibrary[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const note = (name: string, text: unknown): void => {
    if (typeof text === 'string') found.set(name, text);
  };
  for (const { spec } of libraries) {
    note('haproxyConfig', valueAt(spec, ['haproxyConfig', 'template']));
    const snippets = valueAt(spec, ['templateSnippets']);
    for (const [name, snippet] of Object.entries(isRecord(snippets) ? snippets : {}))
      note(name, valueAt(snippet, ['template']));
  }
  return found;
}
