import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { entriesOf } from '../../../src/lib/ordered-map.ts';
import { decodeOutputs } from '../../../src/plan/decode-outputs.ts';
import { decodePlan } from '../../../src/plan/decode-plan.ts';
import { encodePlan } from '../../../src/plan/encode-plan.ts';
import type { Provenance } from '../../../src/protocol/provenance.ts';
import { keepOutputs } from '../../fixtures/keep-outputs.ts';
import { createWorld, widget } from '../render/renderer-world.ts';

const template = `global
{{#profile "std"}}
  mode http
{{/profile}}
{{#forEach resources.widgets as |w|}}
{{#profile "shared"}}
  mode http
  timeout server {{w.spec.timeout}}
{{/profile}}
{{#section (concat "cache " w.metadata.name)}}
cache {{w.metadata.name}}
{{/section}}
{{#backend w.metadata.name profile="shared"}}{{server "a" "10.0.0.1" 80 weight=w.spec.weight}}{{/backend}}
{{mapEntry "maps/host.map" (mapKey w.metadata.name) (mapValue w.metadata.name)}}
{{mapEntry "maps/common.map" "all" "one"}}
{{#file (concat "general/" w.metadata.name)}}PRIVATE {{w.metadata.name}}{{/file}}
{{/forEach}}
`;

const render = (weights: Readonly<Record<string, number>>, root = template) => {
  const world = createWorld({ root, resources: { widgets: undefined } });
  for (const [name, weight] of Object.entries(weights))
    world.resources['widgets']?.set(`ns/${name}`, widget(name, { weight, timeout: '5s' }));
  const { plan, provenance } = world.render();
  if (provenance === undefined) throw new Error('unreachable: renders know where they come from');
  return { plan, provenance };
};
const encode = async (of: ReturnType<typeof render>, accepted: Provenance = of.provenance) =>
  (await encodePlan(of.plan, undefined, accepted)) ?? new Uint8Array();
const unpack = async (blob: Uint8Array) => (await promisify(zstdDecompress)(blob)).toString();
const pack = (text: string) => promisify(zstdCompress)(Buffer.from(text));

describe('accepted outputs in a plan blob', () => {
  const first = render({ a: 1, b: 2, c: 3 });

  it('come back as what another process prints of the same objects', async () => {
    const kept = await decodeOutputs(await encode(first));
    const second = render({ a: 1, b: 2, c: 3 });
    expect(kept?.configuration).toBe(second.provenance.configuration);
    expect(kept?.outputs.size).toBe(3);
    // The same objects, not only equal ones: nothing has changed.
    const restored = kept && second.provenance.restore(kept);
    expect([...entriesOf(restored ?? first.provenance.outputs)]).toEqual([
      ...entriesOf(second.provenance.outputs),
    ]);
    for (const [place, output] of entriesOf(second.provenance.outputs))
      expect([...entriesOf(restored ?? first.provenance.outputs)].find(([at]) => at === place)?.[1]).toBe(
        output,
      );
  });

  it('may be older than the plan beside them', async () => {
    const newer = render({ a: 9, b: 2, d: 4 });
    const kept = await decodeOutputs(await encode(newer, first.provenance));
    const same = await decodeOutputs(await encode(first));
    expect(kept?.outputs.size).toBe(3);
    expect(kept).toEqual(same);
  });

  it('leave the plan what it is', async () => {
    const decoded = await decodePlan(await encode(first));
    expect(decoded).toMatchObject({ kind: 'decoded', plan: { id: first.plan.id } });
  });

  it('have no bytes of files, and texts of the plan only once', async () => {
    const text = await unpack(await encode(first));
    expect(text).not.toContain('PRIVATE');
    expect(text.split('server a 10.0.0.1:80 weight 2')).toHaveLength(2);
    expect(text.split('timeout server 5s')).toHaveLength(2);
  });

  it('are not there where none were accepted', async () => {
    expect(await decodeOutputs((await encodePlan(first.plan)) ?? new Uint8Array())).toBeUndefined();
  });

  it('are those of their configuration', () => {
    const other = render({ a: 1 }, template.replace('mode http', 'mode tcp'));
    expect(other.provenance.configuration).not.toBe(first.provenance.configuration);
    expect(
      first.provenance.restore({
        configuration: other.provenance.configuration,
        outputs: keepOutputs(first.provenance.outputs).outputs,
      }),
    ).toBeUndefined();
  });

  const damages: Readonly<Record<string, (text: string) => string>> = {
    'a digest of no configuration': (text) => text.replace(/\["outputs","\w+"\]/, '["outputs","x"]'),
    'a line that is no output': (text) => `${text}["section"]\n`,
    'a line that is not JSON': (text) => `${text}["output",`,
    'a text that the plan does not have': (text) =>
      text.replace(/(\["output".*?\["backend","a",)\d+/, '$1999999'),
    'a backend that the plan does not have': (text) =>
      text.replace(/(\["output".*?\["backend",)"a"/, '$1"nobody"'),
    'a plan that is damaged': (text) => text.replace('timeout server 5s', 'timeout server 6s'),
  };
  it.each(Object.entries(damages))('are not believed for %s', async (_name, change) => {
    const text = await unpack(await encode(first));
    expect(change(text)).not.toBe(text);
    expect(await decodeOutputs(await pack(text))).toBeDefined();
    expect(await decodeOutputs(await pack(change(text)))).toBeUndefined();
  });

  it('that were cut are not believed', async () => {
    const blob = await encode(first);
    expect(await decodeOutputs(blob.subarray(0, blob.byteLength - 6))).toBeUndefined();
  });
});
