import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entriesOf, getEntry } from '../../../src/lib/ordered-map.ts';
import { formatOwner } from '../../../src/lib/owner.ts';
import { changedOwners, outputsDigest } from '../../../src/protocol/changed-owners.ts';
import { noQuarantine, type Hold, type Outputs, type Quarantine } from '../../../src/protocol/provenance.ts';
import { createHeldOutputs } from '../../../src/render/held-outputs.ts';
import type { Output } from '../../../src/protocol/output.ts';
import { restoreOutputs } from '../../../src/render/restore-outputs.ts';
import { keepOutputs } from '../../fixtures/keep-outputs.ts';

const ownerOf = (name: string) => ({ kind: 'Ingress', namespace: 'ns', name });
const keyOf = (name: string) => formatOwner(ownerOf(name));
const outputOf = (name: string, text: string): Output => ({
  owner: ownerOf(name),
  parts: [],
  entries: [{ path: 'm', entry: { key: text, value: text, text }, place: 't' }],
  files: [],
});

/** Held outputs over a printer that remembers what it has, and what is really there. */
function createScene() {
  const printed = new Map<string, Output>();
  const present = new Map<string, Output>();
  const held = createHeldOutputs({
    put: (place, output) => {
      if (printed.has(place)) throw new Error(`${place} is printed twice`);
      printed.set(place, output);
    },
    drop: (place, output) => {
      expect(printed.get(place)).toStrictEqual(output);
      printed.delete(place);
    },
  });
  return {
    held,
    printed,
    present,
    write: (place: string, output: Output | undefined) => {
      const before = present.get(place);
      if (output === undefined) present.delete(place);
      else present.set(place, output);
      held.take(place, before, output);
    },
    hold: (names: readonly string[], at: Outputs) =>
      held.hold(
        new Map(
          names.map((name): [string, Hold] => [keyOf(name), { kind: 'pinned', owner: ownerOf(name), at }]),
        ),
      ),
    texts: () =>
      Object.fromEntries(
        [...printed]
          .sort()
          .map(([place, output]) => [
            place,
            `${output.owner?.name ?? ''}${output.entries[0]?.entry.text ?? ''}`,
          ]),
      ),
  };
}

describe('held outputs', () => {
  it('knows what held objects say of a status now', () => {
    const scene = createScene();
    const saying = (text: string): Output => ({
      ...outputOf('a', text),
      statusPatches: [
        {
          target: { apiVersion: 'v1', kind: 'Ingress', namespace: 'ns', name: 'a' },
          variants: { validateFailed: { text } },
          owner: ownerOf('a'),
          place: 't:1:1',
        },
      ],
    });
    const texts = () => scene.held.withheldPatches().map(({ variants }) => variants.validateFailed);
    scene.write('p1', saying('1'));
    const at = scene.held.outputs();
    expect(texts()).toEqual([]);
    scene.write('p1', saying('2'));
    scene.hold(['a'], at);
    expect(texts()).toEqual([{ text: '2' }]);
    expect(scene.held.withheldPatches()).toBe(scene.held.withheldPatches());
    scene.write('p1', saying('3'));
    expect(texts()).toEqual([{ text: '3' }]);
    scene.hold([], at);
    expect(texts()).toEqual([]);
  });

  it('prints everything as it comes as long as nobody is held', () => {
    const scene = createScene();
    scene.write('p1', outputOf('a', '1'));
    scene.write('p2', outputOf('b', '1'));
    scene.write('p1', outputOf('a', '2'));
    scene.write('p2', undefined);
    expect(scene.texts()).toEqual({ p1: 'a2' });
    expect([...entriesOf(scene.held.outputs())]).toEqual([['p1', outputOf('a', '2')]]);
    expect(scene.held.withheld().size).toBe(0);
  });

  it('puts an object back to what it was and keeps its changes back, others go on', () => {
    const scene = createScene();
    scene.write('p1', outputOf('a', '1'));
    scene.write('q1', outputOf('b', '1'));
    const accepted = scene.held.outputs();
    scene.write('p1', outputOf('a', '2'));
    scene.write('p2', outputOf('a', '2'));
    scene.hold(['a'], accepted);
    expect(scene.texts()).toEqual({ p1: 'a1', q1: 'b1' });
    scene.write('p1', outputOf('a', '3'));
    scene.write('q1', outputOf('b', '2'));
    expect(scene.texts()).toEqual({ p1: 'a1', q1: 'b2' });
    expect([...scene.held.withheld().keys()]).toEqual([keyOf('a')]);
    scene.held.hold(noQuarantine);
    expect(scene.texts()).toEqual({ p1: 'a3', p2: 'a2', q1: 'b2' });
    expect(scene.held.withheld().size).toBe(0);
  });

  it('leaves an object out as a whole that never was there', () => {
    const scene = createScene();
    const accepted = scene.held.outputs();
    scene.write('p1', outputOf('a', '1'));
    scene.write('p2', outputOf('a', '1'));
    scene.hold(['a'], accepted);
    scene.write('p3', outputOf('a', '1'));
    expect(scene.texts()).toEqual({});
  });

  it('keeps nothing back of an object that is what it was again', () => {
    const scene = createScene();
    scene.write('p1', outputOf('a', '1'));
    const accepted = scene.held.outputs();
    scene.write('p1', outputOf('a', '2'));
    scene.hold(['a'], accepted);
    const digests = scene.held.withheld();
    scene.write('p1', outputOf('a', '1'));
    expect(scene.held.withheld().size).toBe(0);
    scene.write('p1', outputOf('a', '2'));
    expect(scene.held.withheld()).toEqual(digests);
  });

  it('tells contents of a held object apart, with the digest that a comparison of renders gives', () => {
    const scene = createScene();
    scene.write('p1', outputOf('a', '1'));
    const accepted = scene.held.outputs();
    scene.write('p1', outputOf('a', '2'));
    scene.write('p2', outputOf('a', '2'));
    const refused = scene.held.outputs();
    scene.hold(['a'], accepted);
    const changed = changedOwners(accepted, refused).get(keyOf('a'));
    expect(changed).toMatchObject({ owner: ownerOf('a'), wasThere: true });
    expect(scene.held.withheld().get(keyOf('a'))).toBe(outputsDigest(changed?.outputs ?? new Map()));
    const unchanged = scene.held.withheld();
    scene.write('q1', outputOf('b', '1'));
    expect(scene.held.withheld()).toBe(unchanged);
  });

  it('lets no place go to another object while its holder is held', () => {
    const scene = createScene();
    scene.write('p1', outputOf('a', '1'));
    const accepted = scene.held.outputs();
    scene.write('p1', outputOf('b', '1'));
    scene.hold(['a'], accepted);
    expect(scene.texts()).toEqual({ p1: 'a1' });
    scene.held.hold(noQuarantine);
    expect(scene.texts()).toEqual({ p1: 'b1' });
  });

  it('frees a place that a held object has taken over, as its former holder is gone', () => {
    const scene = createScene();
    scene.write('p1', outputOf('a', '1'));
    const accepted = scene.held.outputs();
    scene.write('p1', outputOf('b', '1'));
    scene.hold(['b'], accepted);
    expect(scene.texts()).toEqual({});
    scene.write('p1', outputOf('c', '1'));
    expect(scene.texts()).toEqual({ p1: 'c1' });
  });

  it('prints a function of what is there and who is held, whatever happened before', () => {
    const place = fc.constantFrom('p1', 'p2', 'p3', 'p4');
    const name = fc.constantFrom('a', 'b', 'c');
    const step = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          kind: fc.constant('write' as const),
          place,
          name,
          text: fc.constantFrom('1', '2'),
        }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), place }) },
      { weight: 1, arbitrary: fc.constant({ kind: 'accept' as const }) },
      { weight: 1, arbitrary: fc.constant({ kind: 'recall' as const }) },
      {
        weight: 2,
        arbitrary: fc.record({ kind: fc.constant('hold' as const), names: fc.uniqueArray(name) }),
      },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const scene = createScene();
        let accepted = scene.held.outputs();
        let quarantine: Quarantine = noQuarantine;
        for (const one of steps) {
          if (one.kind === 'write') scene.write(one.place, outputOf(one.name, one.text));
          if (one.kind === 'remove') scene.write(one.place, undefined);
          if (one.kind === 'accept') accepted = scene.held.outputs();
          // What another process had accepted, as seen from here.
          if (one.kind === 'recall')
            accepted = restoreOutputs(keepOutputs(accepted), scene.held.outputs(), () => true);
          if (one.kind === 'hold') {
            const at = accepted;
            quarantine = new Map(
              one.names.map((held): [string, Hold] => {
                const key = keyOf(held);
                return [key, quarantine.get(key) ?? { kind: 'pinned', owner: ownerOf(held), at }];
              }),
            );
            scene.held.hold(quarantine);
          }
          const expected = new Map<string, Output>();
          for (const at of ['p1', 'p2', 'p3', 'p4']) {
            const pinned = [...quarantine]
              .map(([key, hold]) => ({ key, output: getEntry(hold.at, at) }))
              .find(({ key, output }) => output?.owner !== undefined && formatOwner(output.owner) === key);
            const now = scene.present.get(at);
            const isKeptOut = now?.owner !== undefined && quarantine.has(formatOwner(now.owner));
            const shown = pinned === undefined ? (isKeptOut ? undefined : now) : pinned.output;
            if (shown !== undefined) expected.set(at, shown);
          }
          expect(new Map([...scene.printed].sort())).toStrictEqual(expected);
          expect(new Map(entriesOf(scene.held.outputs()))).toStrictEqual(expected);
          for (const key of scene.held.withheld().keys()) expect(quarantine.has(key)).toBe(true);
        }
        scene.held.hold(noQuarantine);
        expect(new Map([...scene.printed].sort())).toStrictEqual(new Map([...scene.present].sort()));
        expect(scene.held.withheld().size).toBe(0);
      }),
      { numRuns: 3000 },
    );
  });
});
