import { expect, test } from 'vitest';
import { parseSoakArguments } from '../../../scripts/soak-arguments.ts';
import { countFlag, seedFlag } from '../../soak/lib/soak-flags.ts';

const flags = { pairs: 'how many', seed: 'where to begin', 'dry-run': 'nothing' };

test('a flag takes the next word or what follows its equals sign, and the last one counts', () => {
  expect(
    parseSoakArguments(['--pairs', '7', '--seed=a=b', '--dry-run', '', '--pairs=8'], flags),
  ).toStrictEqual({ ok: true, values: { pairs: '8', seed: 'a=b', 'dry-run': '' } });
});

test.each([
  [['--pears', '7'], 'unknown argument: --pears'],
  [['7'], 'unknown argument: 7'],
  [['--toString', '7'], 'unknown argument: --toString'],
  [['--pairs'], '--pairs needs a value'],
])('%j is named as wrong', (args, message) => {
  expect(parseSoakArguments(args, flags)).toStrictEqual({ ok: false, message });
});

test('a count is a whole number in its range, or the fallback where nothing is said', () => {
  expect(countFlag({}, 'pairs', 5)).toBe(5);
  expect(countFlag({ pairs: '12' }, 'pairs', 5)).toBe(12);
  for (const wrong of ['', '1.5', '-1', '1e3', ' 7', '0x10', '99999999999999999999'])
    expect(() => countFlag({ pairs: wrong }, 'pairs', 5), wrong).toThrow('--pairs');
  expect(() => countFlag({ pairs: '0' }, 'pairs', 5, 1)).toThrow('at least 1');
});

test('a seed that is asked for is the one used', () => {
  expect(seedFlag({ seed: '42' })).toBe(42);
  expect(seedFlag({})).toBeGreaterThanOrEqual(0);
});
