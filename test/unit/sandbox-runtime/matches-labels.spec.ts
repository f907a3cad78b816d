import { expect, test } from 'vitest';
import { matchesLabels } from '../../../src/sandbox/runtime/matches-labels.ts';

test.each([
  [{ a: '1' }, { a: '1', b: '2' }, true],
  [{ a: '1', b: '3' }, { a: '1', b: '2' }, false],
  [{ a: '1' }, undefined, false],
  [{}, { a: '1' }, false],
  [undefined, { a: '1' }, false],
])('matchesLabels(%j, %j) is %j', (wanted, labels, expected) => {
  expect(matchesLabels(wanted, labels)).toBe(expected);
});
