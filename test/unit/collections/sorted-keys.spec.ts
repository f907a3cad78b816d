import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSortedKeys, lowerBound, type SortedKeys } from '../../../src/collections/sorted-keys.ts';
import {
  createTurnMap,
  turnCommit,
  turnGet,
  type TurnMap,
  turnWrite,
} from '../../../src/collections/turn-map.ts';

/** A map with its keys, written as nodes write it. */
function keyed(base?: { readonly map: TurnMap<number>; readonly keys: SortedKeys }) {
  const map = createTurnMap<number>(base?.map);
  const keys = createSortedKeys(map, base?.keys);
  const write = (key: string, value: number | undefined) => {
    const before = turnGet(map, key);
    turnWrite(map, key, value);
    if ((before === undefined) !== (value === undefined)) keys.noteMembership(key);
  };
  const commit = () => {
    turnCommit(map);
    keys.commit();
  };
  return { map, keys, write, commit };
}

const name = fc.integer({ min: 0, max: 99 }).map((n) => `k${String(n).padStart(2, '0')}`);
const action = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('write' as const), key: name, keep: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('commit' as const, 'look' as const, 'look back' as const) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('burst' as const),
      keys: fc.array(name, { minLength: 60, maxLength: 90 }),
    }),
  },
);

describe('sorted keys', () => {
  it('are those of the map, in the running turn and in the last finished one, whenever asked', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        const { keys, write, commit } = keyed();
        const now = new Set<string>();
        let finished: readonly string[] = [];
        for (const step of actions) {
          if (step.do === 'write') {
            write(step.key, step.keep ? 1 : undefined);
            if (step.keep) now.add(step.key);
            else now.delete(step.key);
          } else if (step.do === 'burst') {
            for (const key of step.keys) write(key, 2);
            for (const key of step.keys) now.add(key);
          } else if (step.do === 'commit') {
            commit();
            finished = [...now].sort();
          } else if (step.do === 'look') {
            expect(keys.now()).toEqual([...now].sort());
          } else {
            expect(keys.committed()).toEqual(finished);
          }
        }
        expect(keys.committed()).toEqual(finished);
        expect(keys.now()).toEqual([...now].sort());
      }),
      { numRuns: 300 },
    );
  });

  it('of a what-if are its base’s last finished ones with its own edits', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(name),
        fc.array(fc.tuple(name, fc.boolean())),
        fc.boolean(),
        (before, edits, open) => {
          const base = keyed();
          for (const key of before) base.write(key, 1);
          base.commit();
          if (open) base.write('open', 1);
          const fork = keyed(base);
          const expected = new Set(before);
          edits.forEach(([key, keep], i) => {
            fork.write(key, keep ? i : undefined);
            if (keep) expected.add(key);
            else expected.delete(key);
            if (i % 3 === 0) expect(fork.keys.now()).toEqual([...expected].sort());
          });
          expect(fork.keys.now()).toEqual([...expected].sort());
          expect(base.keys.committed()).toEqual(before.toSorted());
        },
      ),
    );
  });

  it('that were handed out stay as they were', () => {
    const { keys, write, commit } = keyed();
    write('b', 1);
    commit();
    const first = keys.now();
    write('a', 1);
    expect(keys.now()).toEqual(['a', 'b']);
    expect(keys.committed()).toBe(first);
    expect(first).toEqual(['b']);
  });

  it('are the same array while nothing comes or goes', () => {
    const { keys, write, commit } = keyed();
    write('a', 1);
    commit();
    const first = keys.now();
    write('a', 2);
    commit();
    expect(keys.now()).toBe(first);
  });

  it('start anew after a reset', () => {
    const { map, keys, write } = keyed();
    write('a', 1);
    keys.now();
    map.current.clear();
    map.size = 0;
    keys.reset();
    expect(keys.now()).toEqual([]);
  });
});

describe('lowerBound', () => {
  it('is the first position whose key is not before the one asked for', () => {
    fc.assert(
      fc.property(fc.array(name), name, (list, key) => {
        const sorted = list.toSorted();
        const at = sorted.findIndex((candidate) => candidate >= key);
        expect(lowerBound(sorted, key)).toBe(at === -1 ? sorted.length : at);
      }),
    );
  });
});
