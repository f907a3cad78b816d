import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entriesOf, orderedMapFrom } from '../../../src/lib/ordered-map.ts';
import { formatOwner } from '../../../src/lib/owner.ts';
import { changedOwners } from '../../../src/protocol/changed-owners.ts';
import type { Output } from '../../../src/protocol/output.ts';
import type { Outputs } from '../../../src/protocol/provenance.ts';
import { restoreOutputs } from '../../../src/render/restore-outputs.ts';
import { keepOutputs } from '../../fixtures/keep-outputs.ts';

const outputOf = (name: string, text: string, ...files: readonly string[]): Output => ({
  owner: { kind: 'Ingress', namespace: 'ns', name },
  parts: [],
  entries: [{ path: 'm', entry: { key: text, value: text, text }, place: 't' }],
  files: files.map((content) => ({
    path: `general/${name}`,
    kind: 'general',
    reloadOnChange: true,
    text: content,
    place: 't',
  })),
});
const outputsOf = (outputs: Readonly<Record<string, Output>>): Outputs =>
  orderedMapFrom(Object.entries(outputs));
const restored = (kept: Outputs, present: Outputs) =>
  Object.fromEntries(entriesOf(restoreOutputs(keepOutputs(kept), present, (place) => place !== 'nowhere')));

describe('restored outputs', () => {
  it('are the present ones where these are as they were', () => {
    const present = outputsOf({ p: outputOf('a', '1', 'bytes'), q: outputOf('b', '1') });
    const back = restoreOutputs(keepOutputs(present), present, () => true);
    expect(changedOwners(back, present).size).toBe(0);
  });

  it('are what an object said where it says something else now', () => {
    const was = outputsOf({ p: outputOf('a', '1'), q: outputOf('b', '1'), r: outputOf('a', '1') });
    const present = outputsOf({ p: outputOf('a', '2'), q: outputOf('b', '1'), s: outputOf('a', '2') });
    expect(restored(was, present)).toEqual(Object.fromEntries(entriesOf(was)));
  });

  it('have nothing of an object that is gone, and nothing of one that was not there', () => {
    const was = outputsOf({ p: outputOf('gone', '1'), q: outputOf('b', '1') });
    expect(restored(was, outputsOf({ q: outputOf('b', '2'), r: outputOf('new', '1') }))).toEqual({
      q: outputOf('b', '1'),
    });
  });

  it('have the bytes of a file that anybody prints still', () => {
    const was = outputsOf({ p: outputOf('a', '1', 'bytes') });
    const present = outputsOf({ p: outputOf('a', '2'), q: outputOf('b', '1', 'bytes') });
    expect(restored(was, present)).toEqual({ p: outputOf('a', '1', 'bytes') });
  });

  it('have nothing of an object with a file whose bytes nobody knows', () => {
    const was = outputsOf({ p: outputOf('a', '1'), q: outputOf('a', '1', 'lost'), r: outputOf('b', '1') });
    const present = outputsOf({ p: outputOf('a', '1'), q: outputOf('a', '1', 'x'), r: outputOf('b', '2') });
    expect(restored(was, present)).toEqual({ r: outputOf('b', '1') });
  });

  it('declare what they declare now, since objects, status patches and events are not kept', () => {
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', namespace: '', name: 'x' };
    const said = { owner: { kind: 'Ingress', namespace: 'ns', name: 'a' }, place: 't' };
    const declared: Partial<Output> = {
      resources: [{ reference, object: {}, createOnlyFields: [], ...said }],
      statusPatches: [{ target: reference, variants: { rendered: { a: 1 } }, ...said }],
      events: [{ about: reference, type: 'Normal', reason: 'R', message: 'm', ...said }],
    };
    const was = outputsOf({ p: outputOf('a', '1') });
    const present = outputsOf({ p: { ...outputOf('a', '2'), ...declared } });
    expect(restored(was, present)).toEqual({ p: { ...outputOf('a', '1'), ...declared } });
  });

  it('have nothing at places that there are not', () => {
    const was = outputsOf({ nowhere: outputOf('a', '1'), p: outputOf('a', '1') });
    expect(restored(was, outputsOf({ p: outputOf('a', '2') }))).toEqual({ p: outputOf('a', '1') });
  });

  it('are what was kept of the objects that are still there, and no change of any other', () => {
    const sketch = fc.dictionary(
      fc.constantFrom('p', 'q', 'r', 's', 't'),
      fc.record({
        name: fc.constantFrom<string>('a', 'b', 'c'),
        text: fc.constantFrom('1', '2'),
        file: fc.option(fc.constantFrom<string>('x', 'y'), { nil: undefined }),
      }),
    );
    const made = (of: Readonly<Record<string, { name: string; text: string; file: string | undefined }>>) =>
      outputsOf(
        Object.fromEntries(
          Object.entries(of).map(([place, { name, text, file }]) => [
            place,
            outputOf(name, text, ...(file === undefined ? [] : [file])),
          ]),
        ),
      );
    fc.assert(
      fc.property(sketch, sketch, (before, after) => {
        const [was, present] = [made(before), made(after)];
        const names = new Set(Object.values(after).map(({ name }) => name));
        const bytes = new Set(Object.values(after).map(({ file }) => file));
        const isLost = (place: string, name: string, file: string | undefined) => {
          const now = after[place];
          const isSame = now?.name === name && now.file === file && now.text === before[place]?.text;
          return file !== undefined && !bytes.has(file) && !isSame;
        };
        const lost = new Set(
          Object.entries(before).flatMap(([place, { name, file }]) =>
            isLost(place, name, file) ? [name] : [],
          ),
        );
        const expected = [...entriesOf(was)].filter(
          ([, { owner }]) => names.has(owner?.name ?? '') && !lost.has(owner?.name ?? ''),
        );
        const back = restoreOutputs(keepOutputs(was), present, () => true);
        expect([...entriesOf(back)]).toEqual(expected);
        const changed = changedOwners(back, present);
        for (const [place, output] of entriesOf(present))
          if (output.owner !== undefined && !changed.has(formatOwner(output.owner)))
            expect(Object.fromEntries(entriesOf(back))[place]).toBe(output);
      }),
      { numRuns: 2000 },
    );
  });
});
