import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Pair, type YAMLMap, isMap, isScalar, parseDocument } from 'yaml';

/** A value of the chart, as its comment in values.yaml tells it. */
export interface ValueRow {
  /** `haproxy.service.type` */
  readonly key: string;
  /** Of the default; undefined where there is none. */
  readonly value: unknown;
  readonly description: string;
}

const file = path.join(import.meta.dirname, '../../charts/haptic/values.yaml');

/**
 * Every key of values.yaml that has a comment `# -- ...`, in the order of the file. What lies below such a key is part of its default.
 *
 * @throws Error naming a key that no comment tells of
 */
export function valueRows(text: string = readFileSync(file, 'utf8')): readonly ValueRow[] {
  const { contents } = parseDocument(text);
  if (!isMap(contents)) throw new Error('values.yaml is no object');
  return rowsOf(contents, '', contents.commentBefore ?? '');
}

function rowsOf(map: YAMLMap, before: string, commentOfFirst: string): readonly ValueRow[] {
  return map.items.flatMap((pair, index) => {
    const name = isScalar(pair.key) ? String(pair.key.value) : '';
    const key = before === '' ? name : `${before}.${name}`;
    const description = descriptionOf(commentOf(pair, index === 0 ? commentOfFirst : ''));
    if (description !== undefined)
      return [
        {
          key,
          value: isScalar(pair.value) || pair.value === null ? plain(pair.value) : jsOf(pair),
          description,
        },
      ];
    if (!isMap(pair.value) || pair.value.items.length === 0)
      throw new Error(`values.yaml: ${key} has no comment that begins with "# --"`);
    return rowsOf(pair.value, key, pair.value.commentBefore ?? '');
  });
}

/** The parser gives the comment before a map's first key to the map. */
function commentOf({ key }: Pair, ofMap: string): string {
  const own = isScalar(key) ? (key.commentBefore ?? '') : '';
  return [ofMap, own].filter((part) => part !== '').join('\n');
}

/** From the last ` -- ` on; lines before are about the part of the file. */
function descriptionOf(comment: string): string | undefined {
  const lines = comment.split('\n').map((line) => line.trim());
  const start = lines.findLastIndex((line) => line.startsWith('-- '));
  if (start === -1) return undefined;
  return lines.slice(start).join(' ').slice('-- '.length).trim();
}

function plain(value: unknown): unknown {
  return isScalar(value) ? value.value : null;
}

function jsOf({ value }: Pair): unknown {
  return (value as YAMLMap).toJSON() as unknown;
}

/** The rows as a Markdown table. `docs`: where the folder docs lies, from the page that has the table. */
export function valuesTable(docs: string, rows: readonly ValueRow[] = valueRows()): string {
  const lines = rows.map(
    ({ key, value, description }) =>
      `| \`${key}\` | ${value === null || value === '' ? '' : `\`${JSON.stringify(value)}\``} | ${cell(description, docs)} |`,
  );
  return ['| value | default | |', '| --- | --- | --- |', ...lines].join('\n');
}

function cell(text: string, docs: string): string {
  return text.replaceAll('|', '\\|').replace(/\bdocs\/([a-z-]+\.md)/g, `[$1](${docs}$1)`);
}
