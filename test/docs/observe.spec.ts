import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/observe.md'), 'utf8');
const rows = [...page.matchAll(/^\| `([^`]+)` *\| (.*?) *\|$/gm)].map(
  ([, name = '', rest = '']) => [name, ...rest.split('|').map((cell) => cell.trim())] as const,
);

test('every tap is listed', () => {
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(root, 'src', name), 'utf8'));
  const taps = sources.flatMap((text) =>
    [...text.matchAll(/taps\.point(?:<[^(]+>)?\(['`]([^'`]+)['`]/g)].map((match) => match[1] ?? ''),
  );
  const names = taps.map((name) => name.replace('${name}', '<name>')).sort();
  expect(names.length).toBeGreaterThan(5);
  const listed = rows.map(([name]) => name).filter((name) => names.includes(name));
  expect(listed.sort()).toStrictEqual(names);
});
