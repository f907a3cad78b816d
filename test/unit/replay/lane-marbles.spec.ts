import fc from 'fast-check';
import { TestScheduler } from 'rxjs/testing';
import { expect, test } from 'vitest';
import { laneMarbles } from '../../../src/replay/lane-marbles.ts';

test('times become frames, equal values share a symbol', () => {
  const lane = laneMarbles([
    { at: 0, value: 'x' },
    { at: 2, value: 'y' },
    { at: 120, value: 'x' },
    { at: 120.4, value: 'z' },
    { at: 1_500, value: 'x' },
  ]);
  expect(lane).toStrictEqual({
    marbles: 'a - b 117ms (ac) 1376ms a',
    values: { a: 'x', b: 'y', c: 'z' },
  });
});

test('what would come within a group comes right after it', () => {
  const lane = laneMarbles([
    { at: 5, value: 1 },
    { at: 5, value: 2 },
    { at: 6, value: 3 },
    { at: 20, value: 4 },
  ]);
  expect(lane.marbles).toBe('5ms (ab) c 10ms d');
});

test('RxJS reads them as they were meant: all values in order, none early, none later than the groups before it take', () => {
  const event = fc.record({ at: fc.nat(2_000), value: fc.nat(200) });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 150 }), (unordered) => {
      const events = unordered.toSorted((a, b) => a.at - b.at);
      const { marbles, values } = laneMarbles(events);
      const seen: { at: number; value: number }[] = [];
      const scheduler = new TestScheduler(() => undefined);
      scheduler.run(({ hot }) => {
        hot(marbles, values).subscribe((value) => seen.push({ at: scheduler.frame, value }));
      });
      expect(seen.map(({ value }) => value)).toStrictEqual(events.map(({ value }) => value));
      seen.forEach(({ at }, index) => {
        const wanted = events[index]?.at ?? 0;
        expect(at).toBeGreaterThanOrEqual(wanted);
        expect(at - wanted).toBeLessThanOrEqual(3 * index);
      });
    }),
  );
});
