import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { toYaml } from '../../../src/lib/to-yaml.ts';

it('reads back as it was, whatever the text', () => {
  const piece = fc.constantFrom(
    'a',
    'word',
    ' ',
    '   ',
    '\n',
    '\t',
    '{{x}}',
    '"',
    "'",
    '#',
    ': ',
    '- ',
    '\\',
  );
  const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(text, (template) => {
      const value = { a: { template, list: [template] } };
      expect(parse(toYaml(value))).toStrictEqual(value);
    }),
    {
      numRuns: 2_000,
      examples: [
        [`\t   {{x}} longerword ' a \n word \t # longerword " :  :  \n \n \t`],
        [`   # {{x}} " -  longerword ' longerword " # word \t # a ' -  # ' word    x word #    \n \t " a - `],
      ],
    },
  );
});

it('writes what stands twice twice', () => {
  const same = { x: 1 };
  expect(toYaml({ a: same, b: same })).toBe('a:\n  x: 1\nb:\n  x: 1\n');
});
