import { expect, test } from 'vitest';
import { createTokenBucket } from '../../../src/lib/token-bucket.ts';

test('lets a burst through, and then one for each interval', () => {
  const bucket = createTokenBucket({ burst: 2, interval: 100 });
  expect([bucket.take(0), bucket.take(0), bucket.take(0)]).toEqual([true, true, false]);
  expect(bucket.wait(0)).toBe(100);
  expect(bucket.take(50)).toBe(false);
  expect(bucket.wait(50)).toBe(50);
  expect(bucket.take(100)).toBe(true);
  expect(bucket.take(100)).toBe(false);
});

test('gathers no more than the burst', () => {
  const bucket = createTokenBucket({ burst: 2, interval: 100 });
  expect(bucket.take(0)).toBe(true);
  expect([bucket.take(10_000), bucket.take(10_000), bucket.take(10_000)]).toEqual([true, true, false]);
});
