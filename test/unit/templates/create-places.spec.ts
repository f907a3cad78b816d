import { expect, test } from 'vitest';
import { createPlaces } from '../../../src/templates/create-places.ts';

const at = (line: number, column: number) => ({ start: { line, column }, end: { line, column: column + 1 } });

test('says where a range begins, columns from 1', () => {
  const placeOf = createPlaces();
  expect(placeOf('frontend', at(3, 0))).toBe('frontend:3:1');
  expect(placeOf('frontend', at(3, 17))).toBe('frontend:3:18');
  expect(placeOf('frontend', at(17, 3))).toBe('frontend:17:4');
  expect(placeOf('backend', at(3, 0))).toBe('backend:3:1');
  expect(placeOf('frontend', at(3, 0))).toBe('frontend:3:1');
});

test('tells places of long lines and of long templates apart', () => {
  const placeOf = createPlaces();
  const ranges = [at(1, 1_500_000), at(2, 0), at(1_500_000, 1), at(1_500_001, 0)];
  expect(ranges.map((range) => placeOf('t', range))).toStrictEqual([
    't:1:1500001',
    't:2:1',
    't:1500000:2',
    't:1500001:1',
  ]);
});
