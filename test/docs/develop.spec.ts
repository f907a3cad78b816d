import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/develop.md'), 'utf8');
const listed = [...page.matchAll(/^\| `(src\/[a-z.]+)`/gm)].map((match) => match[1] ?? '');

test('every folder of the source has its row, and every row its folder', () => {
  const files = globSync('src/**/*.ts', { cwd: root });
  const places = new Set(files.map((file) => file.split('/').slice(0, 2).join('/')));
  expect(listed.toSorted()).toStrictEqual([...places].sort());
});

test('the rows stand in the order of the imports that lint allows', () => {
  const config = readFileSync(join(root, 'eslint.config.js'), 'utf8');
  const block = /const tiers = \[\n(.*?)\n\];/s.exec(config)?.[1] ?? '';
  const tiers = block
    .split('\n')
    .map((line) => [...line.matchAll(/'([a-z]+)'/g)].map((match) => `src/${match[1] ?? ''}`));
  const tierOf = (row: string) => tiers.findIndex((tier) => tier.includes(row.replace('.ts', '')));
  // These two stand apart: nothing of the rest is in them, or hardly anything.
  const apart = ['src/agent', 'src/page'];
  const ranks = listed.filter((row) => !apart.includes(row)).map(tierOf);
  expect(ranks).not.toContain(-1);
  expect(ranks).toStrictEqual(ranks.toSorted((a, b) => b - a));
});

test('every folder of tests that it names is there', () => {
  const named = new Set([...page.matchAll(/`(test\/[a-z/]+)`/g)].map((match) => match[1] ?? ''));
  expect(named.size).toBeGreaterThan(5);
  for (const folder of named) expect(existsSync(join(root, folder)), folder).toBe(true);
});

test('every operator has a marble spec of its name, which asserts subscriptions', () => {
  const operators = readdirSync(join(root, 'src/operators')).map((file) => file.replace(/\.ts$/, ''));
  expect(operators.length).toBeGreaterThan(5);
  for (const name of operators) {
    const spec = join(root, `test/marbles/operators/${name}.spec.ts`);
    expect(existsSync(spec), spec).toBe(true);
    expect(readFileSync(spec, 'utf8'), spec).toMatch(/toHaveSubscriptions|expectSubscriptions/);
  }
});
