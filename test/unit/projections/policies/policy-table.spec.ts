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
        if ('fault' in parsed) expect(parsed.fault).not.toMatch(/[\n\0]/);
        else expect(parse(text)).toEqual(parsed);
      }
    },
  );
});
