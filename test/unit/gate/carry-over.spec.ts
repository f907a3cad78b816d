import { describe, expect, it } from 'vitest';
import { carryOver } from '../../../src/gate/carry-over.ts';
import { type QuarantineEntry, emptyQuarantine } from '../../../src/gate/quarantine-state.ts';
import { runSlices } from '../../../src/lib/run-slices.ts';
import { entriesOf, orderedMapFrom } from '../../../src/lib/ordered-map.ts';
import { formatOwner, type Owner } from '../../../src/lib/owner.ts';
import type { Output } from '../../../src/protocol/output.ts';
import { noQuarantine, type Outputs } from '../../../src/protocol/provenance.ts';
import { translateOutputs } from '../../../src/render/translate-outputs.ts';

const owner = (name: string): Owner => ({ kind: 'Ingress', namespace: 'ns', name });
const key = (name: string) => formatOwner(owner(name));
const output = (name: string): Output => ({ owner: owner(name), parts: [], entries: [], files: [] });
const at = (base: string, name: string) => [`${base}${name}\u0000`, output(name)] as const;

const former = new Map([
  ['main loop backends 0', '0000\u00000001\u0000'],
  ['maps/host loop hosts 0', '0001\u00000000\u0000'],
]);
/** A text before the loop, and a document before the map: everything stands elsewhere. */
const next = new Map([
  ['main loop backends 0', '0000\u00000004\u0000'],
  ['maps/host loop hosts 0', '0002\u00000000\u0000'],
]);

const outputs: Outputs = orderedMapFrom(
  [
    at('0000\u00000001\u0000', 'a'),
    at('0000\u00000001\u0000', 'b'),
    at('0001\u00000000\u0000', 'a'),
    at('0001\u00000000\u0000', 'b'),
  ].sort(([one], [other]) => (one < other ? -1 : 1)),
);
const places = (map: Outputs) => [...entriesOf(map)].map(([place]) => place);

const entry = (name: string, change: Partial<QuarantineEntry> = {}): QuarantineEntry => ({
  kind: 'pinned',
  owner: owner(name),
  at: outputs,
  state: 'refused',
  since: 1,
  words: 'no',
  refused: new Set(['digest']),
  triedAt: 2,
  ...change,
});

describe('translateOutputs', () => {
  it('finds the places of the same loops in another configuration, for these objects alone', () => {
    expect(places(translateOutputs(outputs, new Set([key('a')]), former, next))).toEqual([
      '0000\u00000004\u0000a\u0000',
      '0002\u00000000\u0000a\u0000',
    ]);
  });

  it('leaves out what has no place any more', () => {
    const without = new Map([...next].slice(1));
    expect(places(translateOutputs(outputs, new Set([key('a')]), former, without))).toEqual([
      '0002\u00000000\u0000a\u0000',
    ]);
    expect(places(translateOutputs(outputs, new Set([key('a')]), former, new Map()))).toEqual([]);
  });
});

describe('carryOver', () => {
  const atOnce = (...given: Parameters<typeof carryOver>) => runSlices(carryOver(...given));
  const generation = {};
  const carried = (entries: readonly QuarantineEntry[], to = next) =>
    atOnce(
      {
        ...emptyQuarantine,
        entries: new Map(entries.map((one) => [formatOwner(one.owner), one])),
      },
      {
        generation,
        accepted: outputs,
        translate: (of, owners) => translateOutputs(of, owners, former, to),
      },
    );

  it('holds what is held at what it printed last, in its new places, and counts no content as refused', () => {
    const state = carried([entry('a')]);
    expect([...state.entries.keys()]).toEqual([key('a')]);
    const held = state.entries.get(key('a'));
    expect(places(held!.at)).toEqual(['0000\u00000004\u0000a\u0000', '0002\u00000000\u0000a\u0000']);
    expect(held).toMatchObject({ kind: 'pinned', words: 'no', refused: new Set() });
    expect(state.quarantine).toBe(state.entries);
    expect(state.generation).toBe(generation);
  });

  it('demands of the others alone that they are served', () => {
    expect([...carried([entry('a')]).served]).toEqual([key('b')]);
    expect([...carried([]).served].sort()).toEqual([key('a'), key('b')]);
  });

  it('lets in whom it cannot hold at anything, and leaves out who was left out', () => {
    expect(carried([entry('a')], new Map()).entries.size).toBe(0);
    expect(carried([entry('a')], new Map()).quarantine).toBe(noQuarantine);
    const excluded = entry('c', { kind: 'excluded', at: orderedMapFrom([]) });
    expect(carried([excluded]).entries.get(key('c'))).toMatchObject({ kind: 'excluded' });
  });

  it('says whom an earlier process served where nothing was accepted yet', () => {
    const served = new Set([key('x')]);
    const state = atOnce(
      { ...emptyQuarantine, served },
      { generation, accepted: undefined, translate: (of) => of },
    );
    expect([...state.served]).toEqual([key('x')]);
  });

  it('looks at few of ten thousand outputs between two pauses', () => {
    let looked = 0;
    const many = orderedMapFrom(
      Array.from({ length: 10_000 }, (_, at): [string, Output] => {
        const own = owner(String(at));
        const watched = {
          ...output(String(at)),
          get owner() {
            looked++;
            return own;
          },
        };
        return [`0000\u00000001\u0000${at}\u0000`, watched];
      }),
    );
    const slices = carryOver(emptyQuarantine, { generation, accepted: many, translate: (of) => of });
    let most = 0;
    let result = slices.next();
    for (; result.done !== true; result = slices.next()) {
      most = Math.max(most, looked);
      looked = 0;
    }
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(1_024);
    expect(result.value.served.size).toBe(10_000);
  });
});
