import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addReader,
  countReaders,
  createReaders,
  depLookup,
  type Deps,
  forEachDep,
  forEachReader,
  forgetReaders,
  hasDep,
  noDeps,
  type Ref,
  removeReader,
  sameDeps,
} from '../../../src/collections/readers.ts';

const refs: readonly Ref[] = Array.from({ length: 4 }, (_, i) => ({ node: i, key: `k${i}`, deps: noDeps }));
const readKey = fc.constantFrom<string | undefined>('a', 'b', undefined);
const pairs = fc.array(fc.tuple(fc.nat(5), readKey), { maxLength: 60 });
const flat = (list: readonly (readonly [number, string | undefined])[]): Deps => list.flat();

describe('readers', () => {
  it('are a set of entries per key and for the membership, whatever comes and goes', () => {
    const action = fc.record({
      what: fc.constantFrom('add', 'add', 'remove', 'forget'),
      key: readKey,
      ref: fc.nat(refs.length - 1),
    });
    fc.assert(
      fc.property(fc.array(action, { maxLength: 40 }), (actions) => {
        const readers = createReaders();
        const expected = new Map<string | undefined, Set<Ref>>();
        for (const { what, key, ref } of actions) {
          const set = expected.get(key) ?? new Set();
          expected.set(key, set);
          if (what === 'forget') {
            forgetReaders(readers, ref);
            for (const each of expected.values())
              for (const one of each) if (one.node >= ref) each.delete(one);
          } else if (what === 'add') {
            addReader(readers, key, refs[ref]!);
            set.add(refs[ref]!);
          } else {
            removeReader(readers, key, refs[ref]!);
            set.delete(refs[ref]!);
          }
          for (const name of ['a', 'b']) {
            const seen: Ref[] = [];
            forEachReader(readers.byKey.get(name), (reader) => seen.push(reader));
            expect(new Set(seen)).toEqual(expected.get(name) ?? new Set());
            expect(seen.length).toBe(new Set(seen).size);
            // A slot without readers does not exist, one with a single reader is that reader.
            expect(readers.byKey.has(name)).toBe(seen.length > 0);
            expect(readers.byKey.get(name) instanceof Set).toBe(seen.length > 1);
          }
          expect(readers.ofMembership).toEqual(expected.get(undefined) ?? new Set());
          expect(countReaders(readers)).toBe([...expected.values()].reduce((sum, { size }) => sum + size, 0));
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('dependencies', () => {
  it('are found among few and among many', () => {
    fc.assert(
      fc.property(pairs, fc.nat(5), readKey, (list, node, key) => {
        const deps = flat(list);
        const expected = list.some(([n, k]) => n === node && k === key);
        expect(depLookup(deps)(node, key)).toBe(expected);
        expect(hasDep(deps, node, key)).toBe(expected);
      }),
    );
  });

  it('are visited in the order of the looks', () => {
    fc.assert(
      fc.property(pairs, (list) => {
        const seen: [number, string | undefined][] = [];
        forEachDep(flat(list), (node, key) => seen.push([node, key]));
        expect(seen).toEqual(list);
      }),
    );
  });

  it('are the same when all looks are', () => {
    expect(sameDeps([1, 'a', 2, undefined], [1, 'a', 2, undefined])).toBe(true);
    expect(sameDeps([1, 'a'], [1, 'b'])).toBe(false);
    expect(sameDeps([1, 'a'], [1, 'a', 2, 'a'])).toBe(false);
    expect(sameDeps(noDeps, [])).toBe(true);
  });
});
