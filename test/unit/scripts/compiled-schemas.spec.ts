import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundle } from '../../../scripts/bundle.ts';
import { parseManifest } from '../../../src/agent/apply/parse-manifest.ts';
import { operationShapeProblem } from '../../../src/agent/runtime/operation-shape.ts';
import { checkPart, checkWhole } from '../../../src/config/schema-checks.ts';
import { planValidators } from '../../../src/plan/plan-validators.ts';
import { emptyRecord } from '../../../src/agent/state/agent-record.ts';
import { decodeRecord, encodeRecord } from '../../../src/agent/state/record-codec.ts';
import { runSlices } from '../../../src/lib/run-slices.ts';
import type { Operation } from '../../../src/protocol/operation.ts';

const root = join(import.meta.dirname, '../../..');
const modules = {
  manifest: 'src/agent/apply/parse-manifest.ts',
  operation: 'src/agent/runtime/operation-shape.ts',
  record: 'src/agent/state/record-codec.ts',
  config: 'src/config/schema-checks.ts',
  plan: 'src/plan/plan-validators.ts',
};
let folder: string;
let inputs: readonly string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'haptic-bundle-'));
  const entries = Object.entries(modules).map(([name, file]) => [name, join(root, file)]);
  const { metafile } = await bundle(Object.fromEntries(entries) as Record<string, string>, folder);
  inputs = Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const bundled = async <Module>(name: keyof typeof modules): Promise<Module> =>
  (await import(pathToFileURL(join(folder, `${name}.js`)).href)) as Module;

describe('schemas compiled ahead', () => {
  test('need nothing of Ajv but what generated code calls', () => {
    const ajv = inputs.filter((input) => input.includes('node_modules/ajv'));
    expect(ajv.filter((input) => !input.includes('ajv/dist/runtime/'))).toStrictEqual([]);
  });

  test('judge manifests in the same words', async () => {
    const ours = await bundled<{ parseManifest: typeof parseManifest }>('manifest');
    const proof = '0123456789abcdef';
    const config = {
      path: 'haproxy.cfg',
      digest: proof,
      proof,
      size: 1,
      kind: 'config',
      reload_on_change: true,
    };
    const good = {
      identity_version: 1,
      plan_id: 'p1',
      plan_schema_version: 1,
      token: { leader_epoch: 1, render_seq: 1 },
      expected_prev_plan_id: '',
      expected_prev_plan_proof: '',
      expected_worker_ops_plan_id: '',
      expected_worker_ops_plan_proof: '',
      files: [config],
      ops: [],
      mode: 'auto',
    };
    const rules = { configFile: 'haproxy.cfg', reserved: new Set<string>() };
    const texts = [
      good,
      { ...good, mode: 'other' },
      { ...good, token: {} },
      { ...good, plan_id: '' },
      { ...good, files: [{ path: 1 }] },
      [],
    ].map((value) => JSON.stringify(value));
    for (const text of texts) expect(ours.parseManifest(text, rules)).toEqual(parseManifest(text, rules));
    expect(parseManifest(texts[0] ?? '', rules).ok).toBe(true);
    expect(texts.filter((text) => parseManifest(text, rules).ok)).toHaveLength(1);
  });

  test('judge operations and records in the same words', async () => {
    const shape = await bundled<{ operationShapeProblem: typeof operationShapeProblem }>('operation');
    const operations = [
      { kind: 'server_del', backend: 'b', server: 's' },
      { kind: 'server_del', backend: 'b' },
      { kind: 'map_add', path: 'p', key: 1, value: '' },
      { kind: 'constructor' },
    ] as unknown as Operation[];
    const problems = operations.map((operation) => operationShapeProblem(operation));
    expect(operations.map((operation) => shape.operationShapeProblem(operation))).toEqual(problems);
    expect(problems.map((problem) => problem === undefined)).toEqual([true, false, false, false]);
    const codec = await bundled<{ decodeRecord: typeof decodeRecord }>('record');
    const text = encodeRecord({ ...emptyRecord, generation: 7 });
    for (const each of [text, text.replace('"generation":7', '"generation":-1')])
      expect(codec.decodeRecord(each)).toEqual(decodeRecord(each));
    expect(decodeRecord(text).ok).toBe(true);
  });

  test('judge configurations in the same words, and write the same defaults', async () => {
    const checks = await bundled<{ checkPart: typeof checkPart; checkWhole: typeof checkWhole }>('config');
    const good = {
      podSelector: { matchLabels: { app: 'haproxy' } },
      watchedResources: {},
      haproxyConfig: { template: 'x' },
    };
    const specs = [
      good,
      { ...good, other: 1, dataplane: { port: 70_000, reloadVerificationTimeout: 'soon' } },
      { podSelector: good.podSelector },
      { ...good, watchedResources: { pods: { apiVersion: 1 } } },
      { ...good, maps: { 'a.map': { template: 1 } } },
    ];
    const judged = ({
      checkPart: part,
      checkWhole: whole,
    }: Pick<typeof checks, 'checkPart' | 'checkWhole'>) =>
      specs.map((spec) => {
        const given = JSON.parse(JSON.stringify(spec)) as Record<string, unknown>;
        return [runSlices(part(given)), whole(given), given];
      });
    const expected = judged({ checkPart, checkWhole });
    expect(judged(checks)).toEqual(expected);
    expect(expected.map(([, whole]) => (whole as { ok: boolean }).ok)).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  test('judge the lines of a plan blob in the same words', async () => {
    const ahead = (await bundled<{ planValidators: typeof planValidators }>('plan')).planValidators;
    const lines = [
      { schemaVersion: 1, id: '0123456789abcdef', records: 1 },
      ['map', 'maps/a.map', true],
      ['profile', 'p', false, null],
      ['outputs', '0123456789abcdef'],
      ['crtlist', 1],
      {},
    ];
    const verdicts = (validators: typeof planValidators) =>
      Object.entries(validators).map(([name, validate]) => [name, ...lines.map((line) => validate(line))]);
    expect(verdicts(ahead)).toEqual(verdicts(planValidators));
    expect(planValidators.header(lines[0])).toBe(true);
    expect(planValidators.map(lines[1])).toBe(true);
  });
});
