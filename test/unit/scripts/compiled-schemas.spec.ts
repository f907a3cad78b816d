import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundle } from '../../../scripts/bundle.ts';
import { parseManifest } from '../../../src/agent/apply/parse-manifest.ts';
import { operationShapeProblem } from '../../../src/agent/runtime/operation-shape.ts';
import { emptyRecord } from '../../../src/agent/state/agent-record.ts';
import { decodeRecord, encodeRecord } from '../../../src/agent/state/record-codec.ts';
import type { Operation } from '../../../src/protocol/operation.ts';

const root = join(import.meta.dirname, '../../..');
const modules = {
  manifest: 'src/agent/apply/parse-manifest.ts',
  operation: 'src/agent/runtime/operation-shape.ts',
  record: 'src/agent/state/record-codec.ts',
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

describe('the schemas of the agent, compiled ahead', () => {
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
});
