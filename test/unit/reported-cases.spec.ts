import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { reportedCases } from '../fixtures/reported-cases.ts';

const root = path.resolve(import.meta.dirname, '..');
/** What tests are called: each literal that begins with the id of a report, or several with commas between, and a colon. */
const named = new Set(
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.spec.ts'))
    .flatMap((name) => [
      ...readFileSync(path.join(root, name), 'utf8').matchAll(/['"`]((?:[A-Z0-9]+#\d+(?:, )?)+):/g),
    ])
    .flatMap(([, ids = '']) => ids.split(', ')),
);

it.each(reportedCases.map(({ id, report, right }) => [id, report, right]))(
  'there is a test named after %s (%s): %s',
  (id) => expect(named).toContain(id),
);

it('tests are named after reports that are listed', () => {
  const listed = new Set(reportedCases.map(({ id }) => id));
  expect([...named].filter((id) => !listed.has(id))).toEqual([]);
});
