import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { statusPhases } from '../../src/protocol/declared.ts';
import { statusManagers } from '../../src/protocol/status-manager.ts';
import { eventReasons } from '../../src/sinks/event-reasons.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/status-and-events.md'), 'utf8');

/** First cells of the rows of a section's table, without their quotes. */
function rowsOf(heading: string): readonly string[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [text = ''] = section.split('\n## ');
  return [...text.matchAll(/^\| `([^`]+)` *\|/gm)].map(([, name = '']) => name);
}

/** Reasons that the source gives problems of objects, outside of the projections, which docs/ingress.md lists. */
function reasonsOfProblems(): readonly string[] {
  const folders = ['collections', 'render', 'streams', 'templates'];
  const text = folders
    .flatMap((folder) =>
      readdirSync(join(root, 'src', folder), { recursive: true, encoding: 'utf8' }).map((name) =>
        join(folder, name),
      ),
    )
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(root, 'src', name), 'utf8'))
    .join('\n');
  const endings = 'Conflict|Missing|Failed|Refused|Unseen|Unreadable';
  const words = text.matchAll(
    new RegExp(`'([A-Z][A-Za-z]*(?:${endings})|DuplicateKey|MalformedObject|MoreProblems)'`, 'g'),
  );
  return [...new Set([...words].map(([, word = '']) => word))];
}

test('every reason of an Event is explained', () => {
  const expected = [...Object.values(eventReasons), ...reasonsOfProblems()];
  expect([...rowsOf('Look a reason up')].sort()).toStrictEqual([...new Set(expected)].sort());
});

test('every phase of a status is explained, in order', () => {
  expect(rowsOf('Give objects a status by templates')).toStrictEqual(statusPhases);
});

test('every field manager is named', () => {
  for (const manager of statusManagers) expect(page).toContain(`\`${manager}\``);
});
