import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { contextVariables } from '../../../scripts/reference/context-variables.ts';
import { runExample } from '../../../scripts/reference/run-example.ts';
import {
  exampleOf,
  referenceGroups,
  templateReference,
} from '../../../scripts/reference/template-reference.ts';

const page = readFileSync(path.resolve(import.meta.dirname, '../../../docs/template-reference.md'), 'utf8');
const helpers = referenceGroups.flatMap(({ helpers: table }) => Object.entries(table));

/** Helpers whose example is a problem. */
const announced: Readonly<Record<string, RegExp>> = {
  fail: /^error ColorRefused, Widget web\/gadget, spec\.color: red is not allowed/,
  warn: /^warning ColorDeprecated, Widget web\/gadget, spec\.color: color is deprecated$/,
};

describe('the template reference', () => {
  it('is as it would be generated now', () => {
    expect(page).toBe(templateReference());
  });

  it('has every helper once', () => {
    const names = helpers.map(([name]) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(150);
    for (const name of names) expect(page).toContain(`\n### ${name}\n`);
  });

  it.each(helpers)('%s: says how it is written and what it does', (name, { signature, summary }) => {
    expect(signature).toMatch(new RegExp(`^(\\{\\{#)?${name}\\b`));
    expect(summary).toMatch(/^[\S\s]{8,}\.$/);
  });

  it.each(helpers)('%s: its example uses it and gives something', (name, { example }) => {
    const given = exampleOf(example);
    expect([given.template, ...Object.values(given.snippets ?? {})].join('\n')).toMatch(
      new RegExp(`[{(#\\s]${name}\\b`),
    );
    const { files, problems, declared } = runExample(given);
    const wanted = announced[name];
    if (wanted === undefined) expect(problems).toStrictEqual([]);
    else expect(problems).toStrictEqual([expect.stringMatching(wanted)]);
    expect(Object.keys(files).length + declared.length + problems.length).toBeGreaterThan(0);
  });

  it.each(contextVariables.map((variable) => [variable.path, variable] as const))(
    '%s: its example gives something',
    (_path, { example }) => {
      const { files, problems } = runExample(exampleOf(example));
      expect(problems).toStrictEqual([]);
      expect(files['haproxy.cfg']?.trim()).not.toBe('');
    },
  );
});
