import { expect, test } from 'vitest';
import { createEventHistory } from '../../../src/sinks/event-history.ts';

function filled(size: number, count: number) {
  const history = createEventHistory(size, () => 1_000);
  for (let n = 1; n <= count; n++) history.record({ type: 'x', id: n % 2 === 0 ? 'even' : 'odd' });
  return history;
}
const seqs = (events: readonly { seq: number }[]) => events.map(({ seq }) => seq);

test('the newest events are remembered, oldest first', () => {
  expect(seqs(filled(4, 3).last(10))).toStrictEqual([1, 2, 3]);
  expect(seqs(filled(4, 4).last(10))).toStrictEqual([1, 2, 3, 4]);
  expect(seqs(filled(4, 11).last(10))).toStrictEqual([8, 9, 10, 11]);
  expect(seqs(filled(4, 11).last(2))).toStrictEqual([10, 11]);
  expect(filled(4, 0).last(10)).toStrictEqual([]);
});

test('those of one correlation alone can be asked for', () => {
  expect(seqs(filled(8, 11).last(2, 'odd'))).toStrictEqual([9, 11]);
  expect(filled(4, 4).last(1)).toStrictEqual([
    { seq: 4, at: '1970-01-01T00:00:01.000Z', type: 'x', correlationId: 'even' },
  ]);
});
