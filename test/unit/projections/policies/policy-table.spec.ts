import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { policyIndex } from '../../../../src/projections/policies/policy-index.ts';
import { policyTable } from '../../../../src/projections/policies/policy-table.ts';

describe('policyTable', () => {
  it('has each key, each field and each topic once', () => {
    const { rows, byField, byKey } = policyIndex;
    expect(byKey.size).toBe(rows.length);
    expect(byField.size).toBe(rows.length);
    expect(new Set(policyTable.map(({ name }) => name)).size).toBe(policyTable.length);
    // A shape holds both, by name.
    for (const { name } of policyTable) expect(byField.has(name as never)).toBe(false);
  });

  const applied = policyTable.filter(({ fields }) =>
    Object.values(fields).some(
      ({ restricting, scope, shape }) => restricting === true && scope !== 'host' && shape !== 'server',
    ),
  );
  it.each(applied.map(({ name }) => name))('%s: is applied by a snippet of its name', (name) => {
    const folder = path.resolve(import.meta.dirname, '../../../../charts/haptic/libraries');
    const libraries = readdirSync(folder)
      .filter((file) => file.endsWith('.yaml'))
      .map((file) => readFileSync(path.join(folder, file), 'utf8'));
    const kebab = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    // Without, its routes are closed: see profiles-500-shapes.
    expect(libraries.join('\n')).toMatch(
      new RegExp(`^  profile-directives-\\d+-(?:[a-z-]+-)?${kebab}:$`, 'm'),
    );
  });

  it.each(policyIndex.rows.map(({ field, ...row }) => [field.key, { ...row, field }] as const))(
    '%s: its key, its example and its words',
    (key, { field }) => {
      expect(key).toMatch(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/);
      expect(field.parse(field.example)).toHaveProperty('value');
      expect(field.summary).toMatch(/\.$/);
      expect(field.values).not.toBe('');
    },
  );

  it.each(policyIndex.rows.map(({ field }) => [field.key, field] as const))(
    '%s: gives one value for one meaning, or a fault in words that continue its name',
    (_key, { parse }) => {
      for (const text of [
        '',
        ' ',
        '\0',
        'x'.repeat(5_000),
        '${HOME}',
        '%[src]',
        '"',
        "'",
        '\\',
        'a\nb',
        '-1',
      ]) {
        const parsed = parse(text);
        if ('fault' in parsed)
          expect(parsed.fault).toMatch(/^(?:must|has|begins|cannot|may not|uses) [^\n\0]+$/);
        else expect(parse(text)).toEqual(parsed);
      }
    },
  );
});
