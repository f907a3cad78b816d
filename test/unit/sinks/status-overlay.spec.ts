import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/protocol/declared.ts';
import { hasMoreThan, isSaid, isShorter } from '../../../src/sinks/status-compare.ts';
import { stampConditions } from '../../../src/sinks/status-conditions.ts';
import { overlayParts } from '../../../src/sinks/status-overlay.ts';

const condition = (type: string, status: string) => ({ type, status, reason: 'Why', message: '' });

describe('overlayParts', () => {
  it('leaves parts that have nothing in common as they are', () => {
    const parts = [
      ['a', { x: 1, deep: { p: 1 } }],
      ['b', { y: 1, deep: { q: 1 } }],
    ] as const;
    const laid = overlayParts(parts);
    expect(laid).toEqual(parts);
    expect(laid[0]?.[1]).toBe(parts[0][1]);
  });

  it('gives a field of several parts to the last one', () => {
    expect(
      overlayParts([
        ['a', { phase: 'Accepted', deep: { p: 1, q: 1 }, list: [1] }],
        ['b', { deep: { p: 2 }, list: [2, 3] }],
        ['c', { phase: 'Failed' }],
      ]),
    ).toEqual([
      ['a', { deep: { q: 1 } }],
      ['b', { deep: { p: 2 }, list: [2, 3] }],
      ['c', { phase: 'Failed' }],
    ]);
  });

  it('divides conditions by their type, and leaves a part out that has nothing left', () => {
    expect(
      overlayParts([
        ['a', { conditions: [condition('Accepted', 'True')] }],
        ['b', { conditions: [condition('Programmed', 'True')] }],
        ['c', { conditions: [condition('Accepted', 'False')] }],
      ]),
    ).toEqual([
      ['b', { conditions: [condition('Programmed', 'True')] }],
      ['c', { conditions: [condition('Accepted', 'False')] }],
    ]);
  });

  it('always says all that the last part says, and each field once', () => {
    const leaf = fc.constantFrom<unknown>(1, 2, 'x', [1], [{ type: 'T', status: 'True' }]);
    const part = fc.dictionary(
      fc.constantFrom('a', 'b', 'c'),
      fc.oneof(leaf, fc.dictionary(fc.constantFrom('p', 'q'), leaf, { minKeys: 1 })),
      { minKeys: 1 },
    );
    fc.assert(
      fc.property(part, part, (first, second) => {
        const laid = overlayParts([
          ['first', first],
          ['second', second],
        ]);
        const of_ = (name: string): JsonObject => laid.find(([manager]) => manager === name)?.[1] ?? {};
        expect(of_('second')).toEqual(second);
        // What is left of the first does not touch the second: the other way round nothing is lost either.
        const back = overlayParts([
          ['second', second],
          ['first', of_('first')],
        ]);
        expect(back.find(([manager]) => manager === 'second')?.[1]).toEqual(second);
      }),
    );
  });
});

describe('isSaid', () => {
  it.each<[string, unknown, JsonObject, boolean]>([
    ['nothing yet', undefined, { a: 1 }, false],
    ['the same', { a: 1 }, { a: 1 }, true],
    ['more', { a: 1, b: { c: 1 } }, { a: 1 }, true],
    ['another value', { a: 2 }, { a: 1 }, false],
    ['a shorter list', { a: [1] }, { a: [1, 2] }, false],
    ['items with more', { a: [{ ip: '1', ports: [] }] }, { a: [{ ip: '1' }] }, true],
    ['another order', { a: [2, 1] }, { a: [1, 2] }, false],
    [
      'conditions in another order, beside others',
      { conditions: [condition('X', 'True'), { ...condition('A', 'True'), lastTransitionTime: 't' }] },
      { conditions: [condition('A', 'True')] },
      true,
    ],
    [
      'another condition',
      { conditions: [condition('A', 'False')] },
      { conditions: [condition('A', 'True')] },
      false,
    ],
  ])('%s', (_name, status, part, expected) => {
    expect(isSaid(status, part)).toBe(expected);
  });
});

describe('isShorter', () => {
  it.each<[string, JsonObject, JsonObject, boolean]>([
    ['another value', { a: 1 }, { a: 2 }, false],
    ['one more', { a: 1 }, { a: 1, b: 1 }, false],
    ['one less', { a: 1, b: 1 }, { a: 1 }, true],
    ['one less inside', { a: { b: 1, c: 1 } }, { a: { b: 1 } }, true],
    [
      'one condition less',
      { c: [condition('A', 'True'), condition('B', 'True')] },
      { c: [condition('A', 'x')] },
      true,
    ],
    ['a list with other items', { a: [1, 2] }, { a: [1] }, false],
  ])('%s', (_name, former, next, expected) => {
    expect(isShorter(next, former)).toBe(expected);
  });
});

describe('hasMoreThan', () => {
  const fields = {
    'f:conditions': {
      'k:{"type":"Ready"}': { '.': {}, 'f:type': {}, 'f:status': {}, 'f:lastTransitionTime': {} },
    },
    'f:phase': {},
  };
  it.each<[string, JsonObject, boolean]>([
    ['the same', { conditions: [{ type: 'Ready', status: 'x' }], phase: 'x' }, false],
    ['a field less', { conditions: [{ type: 'Ready', status: 'x' }] }, true],
    ['a condition less', { conditions: [{ type: 'Other', status: 'x' }], phase: 'x' }, true],
    ['a field of a condition less', { conditions: [{ type: 'Ready' }], phase: 'x' }, true],
  ])('%s', (_name, part, expected) => {
    expect(hasMoreThan(fields, part)).toBe(expected);
  });
});

describe('stampConditions', () => {
  const part = { parents: { conditions: [condition('Ready', 'True')] }, names: [{ type: 'only' }] };
  const stampedWith = (time: string) => ({
    ...part,
    parents: { conditions: [{ ...condition('Ready', 'True'), lastTransitionTime: time }] },
  });
  it('says when the status changed', () => {
    expect(stampConditions(part, undefined, 'now')).toEqual(stampedWith('now'));
    const was = { parents: { conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: 'then' }] } };
    expect(stampConditions(part, was, 'now')).toEqual(stampedWith('now'));
  });
  it('keeps the time as long as the status stays', () => {
    const was = { parents: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: 'then' }] } };
    expect(stampConditions(part, was, 'now')).toEqual(stampedWith('then'));
  });
  it('leaves a time that the part gives', () => {
    const own = { conditions: [{ ...condition('Ready', 'True'), lastTransitionTime: 'own' }] };
    expect(stampConditions(own, undefined, 'now')).toEqual(own);
  });
});
