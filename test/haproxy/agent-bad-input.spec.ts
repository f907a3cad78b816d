import { createHash } from 'node:crypto';
import { readFile, readdir, stat, symlink, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { limits } from '../../src/protocol/limits.ts';
import { decodePlan } from '../../src/plan/decode-plan.ts';
import {
  type AgentHarness,
  converse,
  manifestFile,
  manifestOf,
  startAgent,
} from '../fixtures/agent-harness.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import {
  bootstrapConfig,
  eventually,
  type HaproxyProcess,
  startHaproxy,
} from '../fixtures/haproxy-process.ts';
import type { AgentState, ApplyManifest, ManifestFile } from '../../src/protocol/wire.ts';

const boundary = 'boundary-of-this-test';

interface Part {
  readonly name: string;
  readonly filename?: string;
  readonly bytes: string | Buffer;
}

function multipart(parts: readonly Part[], end = `--${boundary}--\r\n`): Buffer {
  return Buffer.concat([
    ...parts.flatMap(({ name, filename, bytes }) => [
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}\r\n\r\n`,
      ),
      Buffer.from(bytes),
      Buffer.from('\r\n'),
    ]),
    Buffer.from(end),
  ]);
}

/** What bad requests are made from: a manifest that is right, and the configuration that the pod holds. */
interface Ground {
  readonly state: AgentState;
  readonly config: string;
  readonly good: ApplyManifest;
}

type Answer = readonly [status: number, body: object];
type Row = readonly [name: string, body: (ground: Ground) => Buffer, answer: Answer];

const stage = (status: number, name: string, message: RegExp | string): Answer => [
  status,
  { stage: name, message: expect.stringMatching(message) as unknown },
];
const request = (message: RegExp | string) => stage(400, 'request', message);
const manifest = (message: RegExp | string) => stage(400, 'manifest', message);
const parts = (message: RegExp | string) => stage(400, 'parts', message);

const withManifest =
  (make: (ground: Ground) => object, more: readonly Part[] = []) =>
  (ground: Ground) =>
    multipart([{ name: 'manifest', bytes: JSON.stringify(make(ground)) }, ...more]);
const changed = (change: (good: ApplyManifest) => object, more?: readonly Part[]) =>
  withManifest(({ good }) => ({ ...good, ...change(good) }), more);
const withFiles = (make: (good: ApplyManifest) => readonly object[], more?: readonly Part[]) =>
  changed((good) => ({ files: [...good.files, ...make(good)] }), more);
const withPath = (name: string) => withFiles(() => [{ ...manifestFile('maps/x.map', 'a b\n'), path: name }]);

const map = manifestFile('maps/new.map', 'a b\n');
const mapPart = (bytes: string | Buffer, filename = map.path): Part => ({ name: 'file', filename, bytes });
const withMap = (more: readonly Part[], change: Partial<ManifestFile> = {}) =>
  withFiles(() => [{ ...map, ...change }], more);
const operation = { kind: 'map_del', path: 'maps/x.map', key: 'k' };
const operations = (count: number) => Array.from({ length: count }, () => operation);

const tricks: readonly (readonly [string, string])[] = [
  ['..', 'canonical|dot'],
  ['../haproxy.cfg', 'dot'],
  ['maps/../../x.map', 'canonical'],
  ['maps/../x.map', 'canonical'],
  ['./x.map', 'canonical'],
  ['maps//x.map', 'canonical'],
  ['maps/', 'canonical'],
  ['/etc/passwd', 'absolute'],
  ['nul\0byte.map', 'control character'],
  ['line\nfeed.map', 'control character'],
  ['back\\slash.map', 'backslash'],
  ['', 'empty'],
  ['.hidden', 'dot'],
  ['maps/.hidden.map', 'dot'],
  ['.haptic-agent.json', 'dot'],
  ['.haptic-tmp/x', 'dot'],
  ['haproxy-worker.sock', 'not the controller’s'],
  ['haproxy-master.sock', 'not the controller’s'],
  [`${'x'.repeat(limits.pathBytes + 1 - 4)}.map`, 'longer than 255'],
  ['ü'.repeat(limits.pathBytes / 2 + 1), 'longer than 255'],
  ['haproxy.cfg', 'twice'],
  ['haproxy.cfg/x.map', 'below another file'],
];

const rows: readonly Row[] = [
  ['a body without an end', ({ good }) => multipart([{ name: 'manifest', bytes: JSON.stringify(good) }], ''), request('')],
  ['an empty body', () => Buffer.alloc(0), request('')],
  ['no part', () => multipart([]), request('')],
  ['a body of noise', () => Buffer.alloc(5_000, 'noise'), request('')],
  ['a file before the manifest', ({ good }) => multipart([mapPart('a b\n'), { name: 'manifest', bytes: JSON.stringify(good) }]), request('manifest')],
  ['another part first', ({ good }) => multipart([{ name: 'manifests', bytes: JSON.stringify(good) }]), request('unknown part "manifests"')],
  ['a manifest of one byte too many', () => multipart([{ name: 'manifest', bytes: Buffer.alloc(limits.manifestBytes + 1, ' ') }]), request('larger than 8388608')],
  ['a manifest that is no JSON', () => multipart([{ name: 'manifest', bytes: '{"plan_id":' }]), manifest('not JSON')],
  ['a manifest that is a list', () => multipart([{ name: 'manifest', bytes: '[]' }]), manifest('must be object')],
  ['another identity version', changed(() => ({ identity_version: 2 })), manifest('identity_version')],
  ['no identity version', changed(() => ({ identity_version: undefined })), manifest('identity_version')],
  ['no token', changed(() => ({ token: undefined })), manifest('token')],
  ['a negative epoch', changed(() => ({ token: { leader_epoch: -1, render_seq: 1 } })), manifest('leader_epoch')],
  ['an empty plan id', changed(() => ({ plan_id: '' })), manifest('plan_id')],
  ['a plan id of one character too many', changed(() => ({ plan_id: 'x'.repeat(257) })), manifest('plan_id')],
  ['an unknown mode', changed(() => ({ mode: 'force' })), manifest('mode')],
  ['an unknown kind of file', withFiles(() => [{ ...map, kind: 'script' }]), manifest('kind')],
  ['a digest that is none', withFiles(() => [{ ...map, digest: 'XYZ' }]), manifest('digest')],
  ['a file of one byte too many', withFiles(() => [{ ...map, size: limits.applyBodyBytes + 1 }]), manifest('size')],
  ['a negative size', withFiles(() => [{ ...map, size: -1 }]), manifest('size')],
  ['one file too many', changed((good) => ({ files: Array.from({ length: limits.files + 1 }, () => good.files[0]) })), manifest('files')],
  ['one operation too many', changed(() => ({ ops: operations(limits.operationsPerBatch + 1) })), manifest('ops')],
  ['one batch too many', changed(() => ({ op_batches: Array.from({ length: limits.operationBatches }, () => []) })), manifest('op_batches')],
  ['one operation too many in a batch', changed(() => ({ op_batches: [operations(limits.operationsPerBatch + 1)] })), manifest('op_batches')],
  ['one operation in place too many', changed(() => ({ in_place_ops: operations(limits.operationsPerBatch + 1) })), manifest('in_place_ops')],
  ['operations in place of no plan', changed(() => ({ in_place_ops: [operation] })), manifest('in_place_ops need worker_ops_plan_id')],
  ['an operation without a kind', changed(() => ({ ops: [{}] })), manifest('kind')],
  ['a validated plan without its proof', changed(() => ({ validated_plan_id: 'x' })), manifest('go together')],
  ['a revert without a proof', changed(() => ({ mode: 'revert_lkg', files: [] })), manifest('plan_proof')],
  ['a set without the configuration', changed(() => ({ files: [map] })), manifest('haproxy.cfg is missing')],
  ['a patch beyond its base', withFiles(() => [{ ...map, patch: { base_digest: map.digest, base_size: 4, offset: 3, length: 2 } }]), manifest('beyond')],
  ...tricks.map(([name, message]): Row => [`the path ${JSON.stringify(name.slice(0, 30))}`, withPath(name), manifest(message)]),
  ['a byte too few', withMap([mapPart('a b')]), parts('bytes')],
  ['a byte too many', withMap([mapPart('a b\n\n')]), parts('bytes')],
  ['other bytes', withMap([mapPart('a c\n')]), parts('digest')],
  ['a large file with other bytes', withMap([mapPart(Buffer.alloc(5 * 2 ** 20, 'x'))], { size: 5 * 2 ** 20 }), parts('digest')],
  ['a file that is not in the manifest', withMap([mapPart('a b\n'), mapPart('a b\n', 'maps/other.map')]), parts('not in the manifest')],
  ['a file beyond the base dir that is not in the manifest', withMap([mapPart('x', '../../outside')]), parts('not in the manifest')],
  ['a file twice', withMap([mapPart('a b\n'), mapPart('a b\n')]), parts('twice')],
  ['a plan blob of one byte too many', withMap([mapPart('a b\n'), { name: 'plan', filename: 'plan', bytes: Buffer.alloc(limits.planBlobBytes + 1) }]), parts('plan part')],
  ['a body that ends within a file', ({ good }) => multipart([{ name: 'manifest', bytes: JSON.stringify({ ...good, files: [...good.files, map] }) }, mapPart('a')], '').subarray(0, -2), [400, { message: expect.stringMatching('body|bytes') as unknown }]],
  ['a file that neither comes nor is held', withMap([]), [409, { missing: [map.path] }]],
  ['a patch of what is not held', withMap([mapPart('b')], { patch: { base_digest: map.digest, base_size: 4, offset: 2, length: 1 } }), [409, { missing: [map.path] }]],
  ['an older epoch', changed(() => ({ token: { leader_epoch: 0, render_seq: 9 } })), [409, { reason: 'stale_epoch' }]],
  ['another plan as the one before', changed(() => ({ expected_prev_plan_id: 'other' })), [409, { reason: 'prev_mismatch' }]],
  ['another proof of the plan before', changed(() => ({ expected_prev_plan_proof: 'a:999' })), [409, { reason: 'prev_mismatch' }]],
  ['another state of the worker', changed(() => ({ mode: 'auto', expected_worker_ops_plan_id: 'other' })), [409, { reason: 'worker_ops_mismatch' }]],
  ['a file behind a link out of the base dir', withFiles(() => [manifestFile('link/x.map', 'a b\n')], [mapPart('a b\n', 'link/x.map')]), stage(500, 'write', 'outside of the base dir')],
  ['a folder where a file is', withFiles(() => [manifestFile('held.map/x.map', 'a b\n')], [mapPart('a b\n', 'held.map/x.map')]), [500, { stage: 'write' }]],
]; // prettier-ignore

describeEachLine(
  'bad input',
  (line) => {
    let haproxy: HaproxyProcess;
    let agent: AgentHarness;
    let outside: string;
    let ground: Ground;
    beforeAll(async () => {
      haproxy = await startHaproxy(line);
      agent = await startAgent(haproxy);
      outside = await mkdtemp(path.join(tmpdir(), 'haptic-outside-'));
      await symlink(outside, path.join(haproxy.baseDir, 'link'));
      const config = bootstrapConfig(haproxy.baseDir);
      const files = { 'haproxy.cfg': config, 'held.map': 'k v\n' };
      const first = await converse(agent).reload(files);
      expect(first.body).toMatchObject({ ok: true });
      await eventually('the copy of the configuration is there, and nothing else is left', async () => {
        const kept = await readdir(path.join(haproxy.baseDir, '.haptic-lkg'));
        return kept.join() === 'config' || undefined;
      });
      const state = await agent.state('?plan=0');
      const all = manifestOf(state, files, { plan_id: 'next', mode: 'reload' });
      ground = {
        state,
        config,
        good: { ...all, files: all.files.filter((file) => file.path !== 'held.map') },
      };
    });
    afterAll(async () => {
      await agent.stop();
      await haproxy.stop();
      await rm(outside, { recursive: true, force: true });
    });

    const post = async (body: Buffer, contentType = `multipart/form-data; boundary=${boundary}`) => {
      const answer = await fetch(`${agent.url}/v1/apply`, {
        method: 'POST',
        body: new Uint8Array(body),
        headers: { authorization: agent.authorization, 'content-type': contentType },
      });
      return { status: answer.status, body: await answer.json() };
    };

    /** Runs a request and demands that disk, state and HAProxy are what they were. */
    const changesNothing = async (what: () => Promise<unknown>) => {
      const look = async () => ({
        disk: await diskOf(haproxy.baseDir),
        outside: await diskOf(outside),
        state: { ...(await agent.state('?plan=0')), last_apply: undefined },
        reloads: await haproxy.reloads(),
      });
      const before = await look();
      await what();
      expect(await look()).toEqual(before);
    };

    it.each(rows)('%s: is answered, and changes nothing', async (_name, make, [status, body]) => {
      await changesNothing(async () => {
        expect(await post(make(ground))).toMatchObject({ status, body });
      });
    });

    it.each<[string, string]>([
      ['another type', 'application/json'],
      ['no boundary', 'multipart/form-data'],
      ['an empty boundary', 'multipart/form-data; boundary='],
    ])('%s: is answered, and changes nothing', async (_name, contentType) => {
      await changesNothing(async () => {
        const { status, body } = await post(multipart([]), contentType);
        expect([400, 415]).toContain(status);
        expect(body).toMatchObject({ stage: 'request' });
      });
    });

    it('a body of one byte too many is answered, and changes nothing', async () => {
      const frame = multipart([{ name: 'manifest', bytes: JSON.stringify({ ...ground.good, files: [...ground.good.files, map] }) }, mapPart('')]); // prettier-ignore
      const rest = limits.applyBodyBytes + 1 - frame.length;
      await changesNothing(async () => {
        const sent = multipart([{ name: 'manifest', bytes: JSON.stringify({ ...ground.good, files: [...ground.good.files, map] }) }, mapPart(Buffer.alloc(rest, 'x'))]); // prettier-ignore
        expect(sent.length).toBe(limits.applyBodyBytes + 1);
        const { status, body } = await post(sent);
        expect([400, 413]).toContain(status);
        expect(body).toMatchObject({ message: expect.any(String) as unknown });
      });
    });

    it.each<[string, string, string, number, number]>([
      ['a blob without a plan', 'PUT', '/v1/plan', 10, 400],
      ['a blob of another plan', 'PUT', '/v1/plan?plan_id=other&proof=a:1', 10, 409],
      [
        'a blob of one byte too many',
        'PUT',
        '/v1/plan?plan_id=plan-1&proof=a:1',
        limits.planBlobBytes + 1,
        413,
      ],
      ['another major version', 'GET', '/v2/state', 0, 404],
      ['another method', 'DELETE', '/v1/state', 0, 404],
    ])('%s: is answered, and changes nothing', async (_name, method, url, size, status) => {
      await changesNothing(async () => {
        const answer = await fetch(`${agent.url}${url}`, {
          method,
          headers: { authorization: agent.authorization, 'content-type': 'application/octet-stream' },
          ...(size === 0 ? {} : { body: new Uint8Array(size) }),
        });
        expect(answer.status).toBe(status);
      });
    });

    it('takes what it does not know in its stride: unknown fields, and a blob of another plan schema', async () => {
      const state = await agent.state('?plan=0');
      const files = { 'haproxy.cfg': ground.config, 'held.map': 'k v\n' };
      const next = {
        ...manifestOf(state, files, { plan_id: 'again' }),
        plan_schema_version: 999,
        unknown: { a: 1 },
      };
      const blob = Buffer.from('a blob of the future');
      const sent = multipart([
        { name: 'manifest', bytes: JSON.stringify(next) },
        { name: 'plan', filename: 'plan', bytes: blob },
      ]);
      expect(await post(sent)).toMatchObject({ status: 200, body: { ok: true, mode: 'noop' } });
      const { applied_plan: stored } = await agent.state();
      expect(Buffer.from(stored ?? '', 'base64')).toEqual(blob);
      // Whoever reads it back finds that it is no baseline.
      expect(await decodePlan(blob)).toMatchObject({ kind: 'unusable' });
    });
  },
  (supported) => supported === '3.4',
);

/**
 * Every file with its mode and content. Empty folders may come and go; the agent's own record, which may note a try and its end, is
 * compared as the state that it tells.
 */
async function diskOf(folder: string): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isDirectory() || entry.name.endsWith('.new') || entry.name === '.haptic-agent.json') continue;
    const { mode } = entry.isFile() ? await stat(file) : { mode: 0 };
    const content = entry.isFile()
      ? createHash('sha256')
          .update(await readFile(file))
          .digest('hex')
      : '';
    found[path.relative(folder, file)] = `${mode.toString(8)} ${content}`;
  }
  return found;
}
