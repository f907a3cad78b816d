import { expect, test } from 'vitest';
import type { TapEvent } from '../../../src/page/tap-event.ts';
import { visibleMarbles } from '../../../src/page/visible-marbles.ts';

const event = (seq: number, at: number, value: unknown): TapEvent => ({
  tap: 'verdicts',
  seq,
  at,
  value,
  size: 1,
});
const view = { from: 0, to: 1_000, filter: '', spots: 10 };

test('what stands on one spot is one marble, in the worst tone, with the newest value', () => {
  const marbles = visibleMarbles(
    [
      event(1, 110, { kind: 'accepted' }),
      event(2, 120, { kind: 'refused' }),
      event(3, 130, { kind: 'accepted' }),
      event(4, 900, { kind: 'accepted' }),
    ],
    view,
  );
  expect(marbles.map(({ count, tone, event: { seq } }) => [count, tone, seq])).toStrictEqual([
    [3, 'bad', 3],
    [1, 'good', 4],
  ]);
  expect(marbles.map(({ x }) => x)).toStrictEqual([0.13, 0.9]);
});

test('only what is in the time that is shown, and contains the text', () => {
  const events = [
    event(1, -1, { kind: 'accepted', planId: 'p0' }),
    event(2, 300, { kind: 'accepted', planId: 'P1' }),
    event(3, 600, { kind: 'accepted', planId: 'p2' }),
    event(4, 1_001, { kind: 'accepted', planId: 'p1' }),
  ];
  const seqs = (filter: string) =>
    visibleMarbles(events, { ...view, filter }).map(({ event: { seq } }) => seq);
  expect(seqs('')).toStrictEqual([2, 3]);
  expect(seqs(' p1 ')).toStrictEqual([2]);
  expect(seqs('nothing')).toStrictEqual([]);
});
