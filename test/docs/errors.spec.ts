import { readFileSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/errors.md'), 'utf8');
const sources = globSync('{src,scripts}/**/*.ts', { cwd: root }).map((file) =>
  readFileSync(join(root, file), 'utf8'),
);
const code = /HAPTIC_ERR_[A-Z0-9]+(?:_[A-Z0-9]+)+(?![A-Z0-9_])/g;

const used = new Set(sources.flatMap((text) => text.match(code) ?? []));
const rows = [...page.matchAll(/^\| `(HAPTIC_ERR_[A-Z0-9_]+)` *\| (.*?) *\| (.*?) *\|$/gm)].map(
  ([, name = '', meaning = '', remedy = '']) => ({ name, meaning, remedy }),
);

test('codes are found in the source at all', () => {
  expect(used.size).toBeGreaterThan(20);
});

test('every code has a row', () => {
  expect([...used].filter((name) => !rows.some((row) => row.name === name)).sort()).toStrictEqual([]);
});

test('every row is of a code that is still used', () => {
  expect(rows.map((row) => row.name).filter((name) => !used.has(name))).toStrictEqual([]);
});

test('every row says what happened and what to do, once, in order', () => {
  expect(rows.length).toBeGreaterThan(20);
  for (const { name, meaning, remedy } of rows) {
    expect(meaning.trim().length, name).toBeGreaterThan(10);
    expect(remedy.trim().length, name).toBeGreaterThan(10);
  }
  const names = rows.map((row) => row.name);
  expect(names).toStrictEqual([...new Set(names)].sort());
});
