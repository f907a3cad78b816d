import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { intentAnnotation } from '../../src/kube/lease-intent.ts';
import { ownLeaseName } from '../../src/kube/own-lease.ts';
import { retainedType, typeLabel } from '../../src/kube/published-object.ts';
import { retainedName } from '../../src/kube/retained-object.ts';
import { eventReasons } from '../../src/sinks/event-reasons.ts';
import { publishedNames } from '../../src/sinks/publish/published-names.ts';

const root = path.resolve(import.meta.dirname, '../..');
const page = readFileSync(path.join(root, 'docs/retained.md'), 'utf8');
const source = (name: string) => readFileSync(path.join(root, 'src/sinks/retained', name), 'utf8');
const rows = [...page.matchAll(/^\| `(\w+)` /gm)].map(([, name = '']) => name);

test('every kind and every reason is explained, and no other', () => {
  const kinds = [...source('recovery-state.ts').matchAll(/readonly kind: '(\w+)'/g)].map(([, name]) => name);
  const reasons = [...source('decide-retained.ts').matchAll(/^ {2}\| '([A-Z]\w+)'/gm)].map(
    ([, name]) => name,
  );
  expect(kinds.length).toBe(4);
  expect(reasons.length).toBeGreaterThan(5);
  expect([...rows].sort()).toStrictEqual([...kinds, ...reasons].sort());
});

test('names are those that are made', () => {
  const name = retainedName('web', { planId: '', checksum: '' }).replace(/[0-9a-f]{20}$/, '<digest>');
  for (const word of [name, `${name}-0`, ownLeaseName('web'), intentAnnotation])
    expect(page).toContain(`\`${word}\``);
  expect(page).toContain(`-l ${typeLabel}=${retainedType}`);
  expect(page).toContain(`hpcfg ${publishedNames('web').main} `);
  expect(page).toContain(`reason=${eventReasons.retainedActive}`);
  expect(page).toContain(`\`${eventReasons.retainedUnavailable}\``);
});
