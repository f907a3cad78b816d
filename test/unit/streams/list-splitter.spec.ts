import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listSplitter } from '../../../src/streams/list-splitter.ts';

/** Splits a text that arrives in pieces of the given sizes (repeated as needed). */
function splitAll(text: string, sizes: readonly number[]) {
  const splitter = listSplitter();
  const items: string[] = [];
  for (let at = 0, piece = 0; at < text.length; piece++) {
    const size = sizes[piece % sizes.length] ?? text.length;
    items.push(...splitter.push(text.slice(at, at + size)));
    at += size;
  }
  return { items: items.map((item): unknown => JSON.parse(item)), splitter };
}

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });

describe('listSplitter', () => {
  it('gives each item as soon as it is complete, and the rest as the head', () => {
    const splitter = listSplitter();
    expect(
      splitter.push('{"kind":"PodList","metadata":{"resourceVersion":"5"},"items":[{"a":[1,{"items":['),
    ).toEqual([]);
    expect(JSON.parse(splitter.head())).toEqual({
      kind: 'PodList',
      metadata: { resourceVersion: '5' },
      items: [],
    });
    expect(splitter.pending).toBeGreaterThan(0);
    expect(splitter.push('2]}]} , {"b":"],}{\\""}')).toEqual(['{"a":[1,{"items":[2]}]} ']);
    expect(splitter.ended).toBe(false);
    expect(splitter.push(']}\n')).toEqual([' {"b":"],}{\\""}']);
    expect(splitter.ended).toBe(true);
    expect(splitter.pending).toBe(0);
    expect(JSON.parse(splitter.head())).toEqual({
      kind: 'PodList',
      metadata: { resourceVersion: '5' },
      items: [],
    });
  });

  it('agrees with JSON.parse on any list, in whatever order its keys come, pretty or not, however it is cut', () => {
    const key = fc.constantFrom('kind', 'metadata', '"items"', 'items2', 'x"items', 'apiVersion');
    const rest = fc.dictionary(key, fc.jsonValue({ maxDepth: 3 }));
    const item = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }));
    fc.assert(
      fc.property(
        rest,
        fc.array(item),
        fc.boolean(),
        fc.constantFrom(0, 2),
        sizes,
        (rest, items, first, indent, sizes) => {
          const list = first ? { items, ...rest } : { ...rest, items };
          const split = splitAll(JSON.stringify(list, undefined, indent), sizes);
          const plain: unknown = JSON.parse(JSON.stringify(items));
          expect(split.items).toEqual(plain);
          expect(JSON.parse(split.splitter.head())).toEqual(
            JSON.parse(JSON.stringify({ ...list, items: [] })),
          );
          expect(split.splitter.ended).toBe(true);
        },
      ),
    );
  });

  it('never says that a list ended which did not', () => {
    const list = JSON.stringify({ metadata: {}, items: [{ a: '}]' }, { b: [[]] }] });
    for (let length = 0; length < list.length; length++)
      expect(splitAll(list.slice(0, length), [7]).splitter.ended).toBe(false);
  });

  it('is not confused by items that are null', () => {
    const { items, splitter } = splitAll('{"items":null,"metadata":{"resourceVersion":"1"}}', [5]);
    expect(items).toEqual([]);
    expect(JSON.parse(splitter.head())).toEqual({ items: null, metadata: { resourceVersion: '1' } });
  });
});
