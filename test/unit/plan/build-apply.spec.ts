import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getEntry, valuesOf } from '../../../src/lib/ordered-map.ts';
import { digest } from '../../../src/lib/digest.ts';
import { buildApply, type BuildApplyInput } from '../../../src/plan/build-apply.ts';
import { diff } from '../../../src/plan/diff.ts';
import type { ApplyRequest } from '../../../src/protocol/apply-request.ts';
import type { Plan } from '../../../src/protocol/plan.ts';
import { baselineOf } from '../../fixtures/baseline.ts';
import { makePlan, type Sketch } from '../../fixtures/make-plan.ts';
import { shareStructure } from '../../fixtures/share-structure.ts';

const padding = '# '.padEnd(500, 'x');
const base: Sketch = {
  core: { global: `global\n${padding}\n` },
  profiles: { std: [] },
  backends: Object.fromEntries(
    ['a', 'b', 'c', 'd', 'e'].map((name) => [
      name,
      { comment: padding, servers: [{ name: 'pod-1', address: '10.0.0.1', port: 80 }] },
    ]),
  ),
  maps: { 'maps/path.map': { entries: [['/ä', 'a'], ['/b', 'b']] } }, // prettier-ignore
  files: { 'files/503.http': { text: 'gone', reloadOnChange: false } },
};
const moved: Sketch = {
  ...base,
  backends: {
    ...base.backends,
    c: { comment: padding, servers: [{ name: 'pod-1', address: '10.0.0.9', port: 80 }] },
  },
};

function build(plan: Plan, heldPlan: Plan, overrides: Partial<BuildApplyInput> = {}): ApplyRequest {
  return buildApply({
    plan,
    decision: diff(plan, baselineOf(heldPlan)),
    roles: {
      applied_plan_id: heldPlan.id,
      applied_plan_proof: 'a:1',
      worker_ops_plan_id: heldPlan.id,
      worker_ops_plan_proof: 'a:2',
    },
    token: { leader_epoch: 3, render_seq: 7 },
    held: (path) => getEntry(heldPlan.files, path),
    heldPlan,
    features: ['file_patch', 'runtime_batches'],
    ...overrides,
  });
}

/** What the agent makes of a request: held bytes, patches applied, whole parts taken as they are. */
function receive(request: ApplyRequest, heldPlan: Plan): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  const { removed_files: removed } = request.manifest;
  if (removed !== undefined)
    for (const file of valuesOf(heldPlan.files))
      if (!removed.includes(file.path)) files.set(file.path, Buffer.concat([...file.content()]));
  for (const entry of request.manifest.files) {
    const part = request.parts.find(({ path }) => path === entry.path);
    const held = () => Buffer.concat([...getEntry(heldPlan.files, entry.path)!.content()]);
    if (part === undefined) files.set(entry.path, held());
    else if (entry.patch === undefined) files.set(entry.path, Buffer.concat(part.bytes));
    else {
      const { offset, length, base_size, base_digest } = entry.patch;
      const before = held();
      expect([digest(before), before.byteLength]).toEqual([base_digest, base_size]);
      files.set(
        entry.path,
        Buffer.concat([before.subarray(0, offset), ...part.bytes, before.subarray(offset + length)]),
      );
    }
    expect(digest(files.get(entry.path)!)).toBe(entry.digest);
    expect(files.get(entry.path)!.byteLength).toBe(entry.size);
  }
  return files;
}

describe('buildApply', () => {
  it('lists every file and sends the bytes of none that the pod holds', () => {
    const plan = makePlan(base);
    const { manifest, parts } = build(plan, makePlan(base));
    expect(parts).toEqual([]);
    expect(manifest.files.map(({ path, kind, reload_on_change }) => [path, kind, reload_on_change])).toEqual([
      ['files/503.http', 'general', false],
      ['haproxy.cfg', 'config', true],
      ['maps/path.map', 'map', false],
    ]);
    expect(manifest).toMatchObject({ identity_version: 1, plan_id: plan.id, ops: [], mode: 'auto' });
    for (const file of manifest.files) expect(file.proof).toBe(file.digest);
  });

  it('lists what changes, and what goes, where the pod holds just the plan and its agent takes that', () => {
    const held = makePlan({ ...base, files: { ...base.files, 'files/404.http': { text: 'none' } } });
    const plan = makePlan(moved);
    const changesOf = (overrides: Partial<BuildApplyInput>) => {
      const { files, removed_files: removed } = build(plan, held, overrides).manifest;
      return [files.map(({ path }) => path), removed];
    };
    const features = ['file_patch', 'file_changes'];
    expect(changesOf({ features, holdsPlan: true })).toEqual([['haproxy.cfg'], ['files/404.http']]);
    const all = ['files/503.http', 'haproxy.cfg', 'maps/path.map'];
    expect(changesOf({ features, holdsPlan: false })).toEqual([all, undefined]);
    expect(changesOf({ features })).toEqual([all, undefined]);
    expect(changesOf({ features: ['file_patch'], holdsPlan: true })).toEqual([all, undefined]);
  });

  it('is fenced by what the pod reported', () => {
    const held = makePlan(base);
    const { manifest } = build(makePlan(moved), held, {
      appliedToken: { leader_epoch: 3, render_seq: 6 },
      validated: { id: 'v', proof: 'a:0' },
    });
    expect(manifest).toMatchObject({
      token: { leader_epoch: 3, render_seq: 7 },
      expected_prev_plan_id: held.id,
      expected_prev_plan_proof: 'a:1',
      expected_prev_token: { leader_epoch: 3, render_seq: 6 },
      expected_worker_ops_plan_id: held.id,
      expected_worker_ops_plan_proof: 'a:2',
      validated_plan_id: 'v',
      validated_plan_proof: 'a:0',
    });
  });

  it('sends the changed range of the configuration, not the whole', () => {
    const held = makePlan(base);
    const plan = shareStructure(held, makePlan(moved));
    const request = build(plan, held);
    const config = request.manifest.files.find(({ path }) => path === 'haproxy.cfg')!;
    expect(request.parts.map(({ path }) => path)).toEqual(['haproxy.cfg']);
    expect(config.patch).toMatchObject({ base_digest: getEntry(held.files, 'haproxy.cfg')!.digest });
    expect(Buffer.concat(request.parts[0]!.bytes).toString()).toBe(getEntry(plan.backends, 'c')!.text);
    receive(request, held);
  });

  it('sends a map change as a patch, in bytes and not in characters', () => {
    const held = makePlan(base);
    const entries: [string, string][] = [['/ä', 'a'], ['/b', 'b'], ['/c', 'c']]; // prettier-ignore
    const request = build(makePlan({ ...base, maps: { 'maps/path.map': { entries } } }), held);
    expect(request.manifest.files.at(-1)?.patch).toMatchObject({
      offset: Buffer.byteLength('/b b\n'),
      length: 0,
    });
    receive(request, held);
  });

  it('sends a removal as an empty part', () => {
    const held = makePlan(base);
    const request = build(makePlan({ ...base, maps: { 'maps/path.map': { entries: [['/ä', 'a']] } } }), held);
    expect(request.parts).toEqual([{ path: 'maps/path.map', bytes: [] }]);
    receive(request, held);
  });

  const wholes: Readonly<Record<string, Partial<BuildApplyInput>>> = {
    'the agent takes no patches': { features: [] },
    'the pod holds another version': { held: () => ({ digest: '0'.repeat(16), size: 4 }) },
    'the pod holds nothing': { held: () => undefined },
  };
  it.each(Object.entries(wholes))('sends whole files when %s', (_name, overrides) => {
    const held = makePlan(base);
    const plan = makePlan(moved);
    const { manifest, parts } = build(plan, held, overrides);
    expect(manifest.files.filter(({ patch }) => patch !== undefined)).toEqual([]);
    const config = parts.find(({ path }) => path === 'haproxy.cfg')!;
    expect(Buffer.concat(config.bytes)).toEqual(
      Buffer.concat(getEntry(plan.files, 'haproxy.cfg')!.content()),
    );
  });

  it('sends whole files when the plan that the pod holds is not known', () => {
    const held = makePlan(base);
    const { heldPlan: _unknown, ...input } = inputOf(makePlan(moved), held);
    expect(
      buildApply(input).manifest.files.find(({ path }) => path === 'haproxy.cfg')?.patch,
    ).toBeUndefined();
  });

  it('sends the bytes when the pod has another proof on record', () => {
    const held = makePlan(base);
    const { parts } = build(makePlan(base), held, {
      held: (path) => ({ ...getEntry(held.files, path)!, proof: 'of-someone-else' }),
      features: [],
    });
    expect(parts).toHaveLength(3);
  });

  it('sends the whole when a patch would be no smaller', () => {
    const held = makePlan({ core: { one: 'global\n' } });
    const { manifest } = build(makePlan({ core: { one: 'global\n  maxconn 1\n' } }), held);
    expect(manifest.files[0]?.patch).toBeUndefined();
  });

  it('puts batches after the first beside the operations', () => {
    const batches = [[{ kind: 'backend_publish' as const, backend: 'a' }], [{ kind: 'backend_del' as const, backend: 'b' }]]; // prettier-ignore
    const input = { decision: { mode: 'auto' as const, batches } };
    const { manifest } = build(makePlan(moved), makePlan(base), input);
    expect(manifest).toMatchObject({ mode: 'auto', ops: batches[0], op_batches: [batches[1]] });
    const single = build(makePlan(moved), makePlan(base), { ...input, features: ['file_patch'] });
    expect(single.manifest).toMatchObject({ mode: 'reload', ops: [] });
    expect(single.manifest.op_batches).toBeUndefined();
  });

  it('hands over what is to run in place, with the plan that the worker then corresponds to', () => {
    const inPlace = [{ kind: 'server_disable' as const, backend: 'a', server: 'pod-1' }];
    const workerPlan = makePlan({ core: { derived: 'global\n' } });
    const decision = { mode: 'reload' as const, batches: [], inPlace, workerPlan };
    expect(build(makePlan(moved), makePlan(base), { decision }).manifest).toMatchObject({
      mode: 'reload',
      in_place_ops: inPlace,
      worker_ops_plan_id: workerPlan.id,
    });
    const { manifest } = build(makePlan(moved), makePlan(base));
    expect(manifest).not.toHaveProperty('in_place_ops');
    expect(manifest).not.toHaveProperty('worker_ops_plan_id');
  });

  it('carries the plan blob when it is given one', () => {
    const planBlob = new Uint8Array([1, 2, 3]);
    expect(build(makePlan(base), makePlan(base), { planBlob }).plan).toBe(planBlob);
  });

  it('lets the pod arrive at the plan’s files from any files it holds', () => {
    const backends = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('1', '2', 'ü€'), {
      noNullPrototype: true,
    });
    const toSketch = (of: Record<string, string>): Sketch => ({
      core: { global: `global\n${padding}\n` },
      backends: Object.fromEntries(Object.entries(of).map(([name, comment]) => [name, { comment }])),
      maps: { 'maps/m.map': { entries: Object.entries(of) } },
      files: Object.fromEntries(Object.entries(of).map(([name, text]) => [`files/${name}`, { text }])),
    });
    fc.assert(
      fc.property(backends, backends, fc.boolean(), fc.boolean(), (before, after, share, holdsPlan) => {
        const held = makePlan(toSketch(before));
        const scratch = makePlan(toSketch(after));
        const plan = share ? shareStructure(held, scratch) : scratch;
        const features = ['file_patch', 'runtime_batches', 'file_changes'];
        const files = receive(build(plan, held, { features, holdsPlan }), held);
        expect(files.size).toBe(plan.files.size);
        for (const file of valuesOf(plan.files))
          expect(files.get(file.path)).toEqual(Buffer.concat([...file.content()]));
      }),
      { numRuns: 300 },
    );
  });
});

function inputOf(plan: Plan, heldPlan: Plan): BuildApplyInput & { heldPlan: Plan } {
  return {
    plan,
    decision: { mode: 'reload', batches: [] },
    roles: {
      applied_plan_id: heldPlan.id,
      applied_plan_proof: 'a:1',
      worker_ops_plan_id: heldPlan.id,
      worker_ops_plan_proof: 'a:2',
    },
    token: { leader_epoch: 1, render_seq: 1 },
    held: (path) => getEntry(heldPlan.files, path),
    heldPlan,
    features: ['file_patch'],
  };
}
