import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const folder = join(import.meta.dirname, '../../docs/adr');
const records = readdirSync(folder).sort();

test('records are numbered without a gap', () => {
  expect(records.length).toBeGreaterThan(0);
  expect(records.map((name) => Number(name.slice(0, 4)))).toStrictEqual(records.map((_, i) => i + 1));
});

describe.each(records)('%s', (name) => {
  const text = readFileSync(join(folder, name), 'utf8');

  test('is named and titled by its number', () => {
    expect(name).toMatch(/^\d{4}-[a-z0-9-]+\.md$/);
    expect(text).toMatch(new RegExp(`^# ${Number(name.slice(0, 4))}\\. \\S`));
  });

  test('has status, context, decision and consequences, in this order and not empty', () => {
    const sections = [...text.matchAll(/^## (.+)\n+(?!## )(\S)/gm)].map((match) => match[1]);
    expect(sections).toStrictEqual(['Status', 'Context', 'Decision', 'Consequences']);
    expect(text).toMatch(/^## Status\n\n(Accepted|Superseded by \d+)\b/m);
  });

  test('is short', () => {
    expect(text.split('\n').length).toBeLessThanOrEqual(60);
  });
});

/** What the product is made of and needs no reason; all else that it ships does. */
const core = [
  '@kubernetes/client-node',
  'ajv',
  'fastify',
  'handlebars',
  'pino',
  'prom-client',
  'rxjs',
  'undici',
];

test('every other dependency has a record that names it', () => {
  const manifest = JSON.parse(readFileSync(join(folder, '../../package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  const texts = records.map((name) => readFileSync(join(folder, name), 'utf8'));
  const others = Object.keys(manifest.dependencies).filter((name) => !core.includes(name));
  expect(others.length).toBeGreaterThan(0);
  expect(others.filter((name) => !texts.some((text) => text.includes(`\`${name}\``)))).toStrictEqual([]);
});
