import { expect, test } from 'vitest';
import { type Lanes, noLanes, withEvent } from '../../../src/page/lanes.ts';

const event = (tap: string, seq: number, size = 1) => ({ tap, seq, at: seq, value: seq, size });
const seqs = ({ byTap }: Lanes, tap: string) => (byTap.get(tap) ?? []).map(({ seq }) => seq);

test('events are kept by tap, the current one only once when it comes again', () => {
  const lanes = [event('a', 1), event('b', 1), event('a', 2), event('a', 2)].reduce(withEvent, noLanes);
  expect([seqs(lanes, 'a'), seqs(lanes, 'b'), lanes.size]).toStrictEqual([[1, 2], [1], 3]);
});

test('of one lane, the newest two thousand are kept', () => {
  const lanes = Array.from({ length: 2_500 }, (_, i) => event('a', i + 1)).reduce(withEvent, noLanes);
  expect(seqs(lanes, 'a')).toHaveLength(2_000);
  expect(seqs(lanes, 'a').at(-1)).toBe(2_500);
  expect(lanes.size).toBe(2_000);
});

test('when all are too large together, the largest lane loses its older half, and never its newest', () => {
  const big = 10 * 1024 * 1024;
  const lanes = [event('small', 1), ...Array.from({ length: 9 }, (_, i) => event('big', i + 1, big))].reduce(
    withEvent,
    noLanes,
  );
  expect(seqs(lanes, 'small')).toStrictEqual([1]);
  expect(seqs(lanes, 'big').at(-1)).toBe(9);
  expect(lanes.size).toBeLessThanOrEqual(48 * 1024 * 1024);
  const one = withEvent(noLanes, event('big', 1, 100 * 1024 * 1024));
  expect(seqs(one, 'big')).toStrictEqual([1]);
});
