import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createTurnMap,
  turnCommit,
  turnCommitted,
  turnEditCount,
  turnEdits,
  turnGet,
  type TurnMap,
  turnWrite,
} from '../../../src/collections/turn-map.ts';

const names = ['a', 'b', 'c', 'd'] as const;
const write = fc.record({ key: fc.constantFrom(...names), value: fc.option(fc.nat(3), { nil: undefined }) });
const action = fc.oneof(
  { weight: 5, arbitrary: write },
  { weight: 1, arbitrary: fc.constant('commit' as const) },
);

function expectContent(
  map: TurnMap<number>,
  now: ReadonlyMap<string, number>,
  finished: ReadonlyMap<string, number>,
) {
  for (const key of names) {
    expect(turnGet(map, key)).toBe(now.get(key));
    expect(turnCommitted(map, key)).toBe(finished.get(key));
  }
  expect([map.size, map.committedSize]).toEqual([now.size, finished.size]);
  const edits = new Set(turnEdits(map));
  for (const key of names) if (now.get(key) !== finished.get(key)) expect(edits.has(key)).toBe(true);
  expect(turnEditCount(map)).toBeGreaterThanOrEqual(edits.size);
}

const apply = (map: Map<string, number>, key: string, value: number | undefined) => {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
};

describe('a turn map', () => {
  it('has the content of the running turn and of the last finished one', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 40 }), (actions) => {
        const map = createTurnMap<number>();
        const now = new Map<string, number>();
        let finished = new Map<string, number>();
        for (const step of actions) {
          if (step === 'commit') {
            turnCommit(map);
            finished = new Map(now);
            expect([...turnEdits(map)].filter((key) => now.get(key) === undefined)).toEqual([]);
          } else {
            turnWrite(map, step.key, step.value);
            apply(now, step.key, step.value);
          }
          expectContent(map, now, finished);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('as a what-if writes over the base’s last finished turn and never into it', () => {
    fc.assert(
      fc.property(
        fc.array(action, { maxLength: 20 }),
        fc.array(write, { maxLength: 10 }),
        (actions, edits) => {
          const base = createTurnMap<number>();
          const now = new Map<string, number>();
          let finished = new Map<string, number>();
          for (const step of actions) {
            if (step === 'commit') {
              turnCommit(base);
              finished = new Map(now);
            } else {
              turnWrite(base, step.key, step.value);
              apply(now, step.key, step.value);
            }
          }
          const fork = createTurnMap(base);
          const expected = new Map(finished);
          for (const { key, value } of edits) {
            turnWrite(fork, key, value);
            apply(expected, key, value);
            for (const name of names) {
              expect(turnGet(fork, name)).toBe(expected.get(name));
              expect(turnCommitted(fork, name)).toBe(finished.get(name));
            }
            expect(fork.size).toBe(expected.size);
          }
          expectContent(base, now, finished);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('keeps no undo records on a cold load, and none after a turn', () => {
    const map = createTurnMap<number>();
    turnWrite(map, 'a', 1);
    turnWrite(map, 'a', 2);
    expect(map.undo).toBeUndefined();
    turnCommit(map);
    turnWrite(map, 'a', 3);
    turnWrite(map, 'b', 3);
    expect(map.undo?.size).toBe(2);
    turnCommit(map);
    expect(map.undo).toBeUndefined();
  });
});
