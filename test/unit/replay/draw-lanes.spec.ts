import fc from 'fast-check';
import { expect, test } from 'vitest';
import { drawLanes } from '../../../src/replay/draw-lanes.ts';

test('lanes stand under one axis, and gaps are as long as their order of magnitude', () => {
  const { diagram, legend } = drawLanes(
    ['edits', 'renders', 'verdicts'],
    [
      { at: 0, lane: 'edits', words: 'ingresses +web/shop' },
      { at: 3, lane: 'renders', words: 'plan 1' },
      { at: 103, lane: 'verdicts', words: 'accepted' },
      { at: 60_103, lane: 'edits', words: 'ingresses ~web/shop' },
      { at: 60_103, lane: 'edits', words: 'services +web/shop' },
      { at: 60_103, lane: 'renders', words: 'plan 2' },
    ],
  );
  expect(diagram).toStrictEqual([
    'time      0ms   103ms 60.103s',
    'edits     a-----------(de)-',
    'renders   --b---------f----',
    'verdicts  ------c----------',
  ]);
  expect(legend).toStrictEqual([
    'a         0ms  edits: ingresses +web/shop',
    'b         3ms  renders: plan 1',
    'c       103ms  verdicts: accepted',
    'd     60.103s  edits: ingresses ~web/shop',
    'e     60.103s  edits: services +web/shop',
    'f     60.103s  renders: plan 2',
  ]);
});

test('nothing is an empty diagram', () => {
  expect(drawLanes(['a'], [])).toStrictEqual({ diagram: ['time  ', 'a     -'], legend: [] });
});

test('every event has its symbol, in its lane, and all lanes are as long', () => {
  const event = fc.record({
    at: fc.nat(100_000),
    lane: fc.constantFrom('x', 'y'),
    words: fc.constant('w'),
  });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), (events) => {
      const { diagram, legend } = drawLanes(['x', 'y'], events);
      const [, x = '', y = ''] = diagram.map((line) => line.slice(6));
      expect(x).toHaveLength(y.length);
      expect(legend).toHaveLength(events.length);
      for (const [lane, row] of [
        ['x', x],
        ['y', y],
      ] as const)
        expect(row.replaceAll(/[-()]/g, '')).toHaveLength(events.filter((one) => one.lane === lane).length);
    }),
  );
});
