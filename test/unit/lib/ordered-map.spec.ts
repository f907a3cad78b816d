import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compareKeys,
  diffOrderedMaps,
  editOrderedMap,
  emptyOrderedMap,
  entriesOf,
  getEntry,
  type OrderedMap,
  orderedMapFrom,
  valuesOf,
} from '../../../src/lib/ordered-map.ts';

import { orderedMapInSlices } from '../../../src/lib/ordered-map-in-slices.ts';
import { runSlices } from '../../../src/lib/run-slices.ts';

type Edit = readonly [string, number | undefined];

const key = fc.oneof(
  fc.integer({ min: 0, max: 2_000 }).map((n) => `k${n}`),
  fc.string({ unit: 'binary', maxLength: 3 }),
);
const edit: fc.Arbitrary<Edit> = fc.tuple(key, fc.option(fc.nat(5), { nil: undefined, freq: 2 }));

/** Batches small and large, with runs of deletes, so that chunks split, shrink and vanish. */
const batch: fc.Arbitrary<readonly Edit[]> = fc.oneof(
  fc.array(edit, { maxLength: 5 }),
  fc.array(edit, { maxLength: 300, size: 'max' }),
  fc
    .record({ from: fc.nat(2_000), count: fc.nat(600), value: fc.option(fc.nat(5), { nil: undefined }) })
    .map(({ from, count, value }) => Array.from({ length: count }, (_, i): Edit => [`k${from + i}`, value])),
);
const history = fc.array(batch, { maxLength: 8 });

const plainEdit = (plain: ReadonlyMap<string, number>, edits: readonly Edit[]) => {
  const result = new Map(plain);
  for (const [name, value] of edits) {
    if (value === undefined) result.delete(name);
    else result.set(name, value);
  }
  return result;
};

const sorted = <V>(plain: ReadonlyMap<string, V>) => [...plain].sort(([a], [b]) => compareKeys(a, b));

/** What the chunks must look like, whatever happened before. */
function expectSound(map: OrderedMap<unknown>): void {
  const keys = map.chunks.flatMap((chunk) => chunk.keys);
  expect(keys).toEqual([...new Set(keys)].sort());
  expect(map.size).toBe(keys.length);
  for (const chunk of map.chunks) {
    expect(chunk.values.length).toBe(chunk.keys.length);
    expect(chunk.keys.length).toBeGreaterThan(0);
    expect(chunk.keys.length).toBeLessThanOrEqual(128);
    if (map.chunks.length > 1) expect(chunk.keys.length).toBeGreaterThanOrEqual(32);
  }
}

/** All versions that a history of batches makes, with what each should hold. */
function versionsOf(batches: readonly (readonly Edit[])[]) {
  let map = emptyOrderedMap<number>();
  let plain: ReadonlyMap<string, number> = new Map();
  const versions = [{ map, plain }];
  for (const edits of batches) {
    map = editOrderedMap(map, edits);
    plain = plainEdit(plain, edits);
    versions.push({ map, plain });
  }
  return versions;
}

const numbered = (count: number) =>
  orderedMapFrom(Array.from({ length: count }, (_, i) => [String(i).padStart(6, '0'), i] as const));
const unshared = (before: OrderedMap<unknown>, after: OrderedMap<unknown>) => {
  const known = new Set(before.chunks);
  return after.chunks.filter((chunk) => !known.has(chunk)).length;
};

describe('an ordered map', () => {
  it('holds what a plain map holds, in key order, in every version', () => {
    fc.assert(
      fc.property(history, fc.array(key), (batches, lookups) => {
        const versions = versionsOf(batches);
        for (const { map, plain } of versions) {
          expectSound(map);
          expect([...entriesOf(map)]).toEqual(sorted(plain));
          expect([...valuesOf(map)]).toEqual(sorted(plain).map(([, value]) => value));
          for (const name of [...lookups, ...plain.keys()]) expect(getEntry(map, name)).toBe(plain.get(name));
        }
      }),
      { numRuns: 150 },
    );
  });

  it('is the same from entries in any order, a later duplicate winning', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(key, fc.nat(5)), { maxLength: 300 }), (entries) => {
        const map = orderedMapFrom(entries);
        expectSound(map);
        expect([...entriesOf(map)]).toEqual(sorted(new Map(entries)));
      }),
    );
  });

  it('takes the last of several edits of a key', () => {
    const map = editOrderedMap(numbered(3), [
      ['000001', 7],
      ['000001', undefined],
      ['000002', undefined],
      ['000002', 9],
    ]);
    expect([...entriesOf(map)]).toEqual([
      ['000000', 0],
      ['000002', 9],
    ]);
  });

  it('orders by code units, never by locale', () => {
    const names = ['Z', 'a', 'ä', '-', '\u{1F600}', '\uFFFD', ''];
    const map = orderedMapFrom(names.map((name) => [name, name]));
    expect([...valuesOf(map)]).toEqual(names.toSorted());
    expect(compareKeys('a', 'a')).toBe(0);
  });

  it.each([0, 1, 64, 65, 128, 129, 1_000, 10_001, 64_001])(
    'is built of %d entries without crumbs',
    (count) => {
      const map = numbered(count);
      expectSound(map);
      expect(map.size).toBe(count);
      expect(map.chunks.length).toBe(Math.ceil(count / 64));
    },
  );

  it('is itself after an edit that changes nothing', () => {
    const map = numbered(500);
    const same = editOrderedMap(map, [
      ['000007', 7],
      ['absent', undefined],
    ]);
    expect(same).toBe(map);
    expect(editOrderedMap(map, [])).toBe(map);
    expect(editOrderedMap(emptyOrderedMap<number>(), [['absent', undefined]])).toBe(emptyOrderedMap());
  });

  it('shares all chunks but those near an edit with the version before', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 9_999 }),
        fc.option(fc.nat(), { nil: undefined }),
        (at, value) => {
          const before = numbered(10_000);
          const after = editOrderedMap(before, [[String(at).padStart(6, '0'), value]]);
          expect(unshared(before, after)).toBeLessThanOrEqual(2);
          expect(after.chunks.length).toBeGreaterThanOrEqual(before.chunks.length - 1);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('stays compact when most of it is deleted, one by one or at once', () => {
    const all = numbered(10_000);
    let oneByOne = all;
    const edits: Edit[] = [];
    for (let i = 0; i < 10_000; i++) if (i % 50 !== 0) edits.push([String(i).padStart(6, '0'), undefined]);
    for (const deletion of edits) oneByOne = editOrderedMap(oneByOne, [deletion]);
    const atOnce = editOrderedMap(all, edits);
    for (const map of [oneByOne, atOnce]) {
      expectSound(map);
      expect(map.size).toBe(200);
      expect(map.chunks.length).toBeLessThanOrEqual(7);
    }
  });

  it('stays compact in a long life of comings and goings', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(400), fc.boolean()), { minLength: 500, maxLength: 1_500, size: 'max' }),
        (life) => {
          let map = emptyOrderedMap<number>();
          for (const [n, keep] of life) map = editOrderedMap(map, [[`k${n}`, keep ? n : undefined]]);
          expectSound(map);
        },
      ),
      { numRuns: 20 },
    );
  });
});

describe('the difference of two ordered maps', () => {
  const expectDiff = (a: ReturnType<typeof versionsOf>[number], b: ReturnType<typeof versionsOf>[number]) => {
    const names = [...new Set([...a.plain.keys(), ...b.plain.keys()])].sort();
    const expected = names
      .map((name) => ({ key: name, before: a.plain.get(name), after: b.plain.get(name) }))
      .filter(({ before, after }) => before !== after);
    expect([...diffOrderedMaps(a.map, b.map)]).toEqual(expected);
  };

  it('is what differs, in key order, between any two versions', () => {
    fc.assert(
      fc.property(history, fc.nat(), fc.nat(), (batches, i, j) => {
        const versions = versionsOf(batches);
        expectDiff(versions[i % versions.length]!, versions[j % versions.length]!);
      }),
      { numRuns: 200 },
    );
  });

  it('is the same between maps that share no chunk', () => {
    fc.assert(
      fc.property(history, fc.nat(), fc.nat(), (batches, i, j) => {
        const versions = versionsOf(batches);
        const { plain } = versions[j % versions.length]!;
        expectDiff(versions[i % versions.length]!, { map: orderedMapFrom(plain), plain });
      }),
      { numRuns: 200 },
    );
  });

  it('between histories that have nothing to do with each other', () => {
    fc.assert(
      fc.property(history, history, (one, other) => {
        expectDiff(versionsOf(one).at(-1)!, versionsOf(other).at(-1)!);
      }),
      { numRuns: 100 },
    );
  });

  it('turns the one into the other when applied as edits', () => {
    fc.assert(
      fc.property(history, history, (one, other) => {
        const before = versionsOf(one).at(-1)!.map;
        const after = versionsOf(other).at(-1)!;
        const edits = [...diffOrderedMaps(before, after.map)].map((change): Edit => [
          change.key,
          change.after,
        ]);
        expect([...entriesOf(editOrderedMap(before, edits))]).toEqual(sorted(after.plain));
      }),
      { numRuns: 100 },
    );
  });

  it('looks only into chunks that are not shared', () => {
    const before = numbered(10_000);
    const after = editOrderedMap(before, [['005000', -1]]);
    let reads = 0;
    const counting = <V>(map: OrderedMap<V>): OrderedMap<V> => ({
      ...map,
      chunks: map.chunks.map((chunk) => {
        if (before.chunks.includes(chunk as never) && after.chunks.includes(chunk as never)) return chunk;
        return {
          get keys() {
            reads++;
            return chunk.keys;
          },
          values: chunk.values,
        };
      }),
    });
    expect([...diffOrderedMaps(counting(before), counting(after))]).toEqual([
      { key: '005000', before: 5_000, after: -1 },
    ]);
    expect(reads).toBeGreaterThan(0);
    expect(reads).toBeLessThan(1_000);
  });

  it('compares values by identity', () => {
    const value = { n: 1 };
    const before = orderedMapFrom([['a', value] as const]);
    expect([...diffOrderedMaps(before, orderedMapFrom([['a', value] as const]))]).toEqual([]);
    expect([...diffOrderedMaps(before, orderedMapFrom([['a', { n: 1 }] as const]))].length).toBe(1);
  });

  it('is the same when it is made with pauses, whatever order the entries come in', () => {
    const entries = fc.array(fc.tuple(key, fc.nat(5)), { maxLength: 2_000, size: 'max' });
    fc.assert(
      fc.property(entries, fc.boolean(), (some, isInOrder) => {
        const given = isInOrder ? [...some].sort(([a], [b]) => compareKeys(a, b)) : some;
        const made = runSlices(orderedMapInSlices(given));
        expectSound(made);
        expect([...entriesOf(made)]).toStrictEqual([...entriesOf(orderedMapFrom(given))]);
      }),
      { numRuns: 30 },
    );
  });
});
