import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '../../docs');
const pages = readdirSync(folder).filter((name) => name.endsWith('.md'));
const linksOf = (page: string) =>
  [...readFileSync(join(folder, page), 'utf8').matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
    .map((match) => match[1] ?? '')
    .filter((link) => !link.includes('://'));

test('the index names every page', () => {
  const others = pages.filter((name) => name !== 'README.md');
  expect(others.length).toBeGreaterThan(5);
  expect(linksOf('README.md')).toEqual(expect.arrayContaining(others));
});

test.each(pages)('every link of %s leads somewhere', (page) => {
  expect(linksOf(page).filter((link) => !existsSync(join(folder, link)))).toStrictEqual([]);
});
