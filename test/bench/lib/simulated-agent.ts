import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type ApplyPart, applyParts } from '../../../src/agent/apply/apply-parts.ts';
import { planRoles } from '../../../src/agent/apply/apply-result.ts';
import { fence } from '../../../src/agent/apply/fence.ts';
import { parseManifest } from '../../../src/agent/apply/parse-manifest.ts';
import { stageParts } from '../../../src/agent/apply/stage-parts.ts';
import { agentFeatures } from '../../../src/agent/agent.ts';
import type { HeldFile, HeldFiles } from '../../../src/agent/files/held-files.ts';
import type { StagingArea } from '../../../src/agent/files/staging-area.ts';
import { executableKinds } from '../../../src/agent/runtime/executable-kinds.ts';
import { type AgentRecord, emptyRecord } from '../../../src/agent/state/agent-record.ts';
import { apiVersion } from '../../../src/protocol/wire.ts';
import { planSchemaVersion } from '../../../src/protocol/plan.ts';

const haproxy = { version: '3.4', full_version: '3.4.7', worker_pid: 1, worker_start_time_unix_micros: 1 };
const maps = ['host', 'path', 'default'].map((name) => `maps/${name}.map`);
const inventory = { generation: 1, maps, certs: [], ca_files: [], crl_files: [], crt_lists: [] };
const rules = { configFile: 'haproxy.cfg', reserved: new Set<string>() };

/**
 * An agent without disk and HAProxy that answers the protocol honestly: the agent's own parser, fence, patches, digests and roles
 * over files in memory. Commands are taken for done.
 */
export function simulatedAgent(): RequestListener {
  let record: AgentRecord = emptyRecord;
  let contents = new Map<string, Buffer>();
  const held: HeldFiles = {
    all: () => record.files,
    content: async (file) => Promise.resolve(contents.get(file)),
    replace: (_files, changed) => {
      contents = new Map([...contents, ...changed]);
    },
    blank: (_file, size) => Buffer.allocUnsafe(size),
    inMemory: (file) => contents.get(file),
    check: async () => Promise.resolve([]),
    distrust: () => undefined,
    verify: async () => Promise.resolve([]),
  };

  const state = () => ({
    api_version: apiVersion,
    agent_version: 'bench',
    plan_schema_version: planSchemaVersion,
    agent_ops: executableKinds(haproxy.version),
    features: agentFeatures,
    haproxy,
    generation: record.generation,
    ...planRoles(record),
    applied_token: record.appliedToken,
    applied_plan_stored: record.blob !== undefined,
    files: Object.fromEntries(record.files),
    runtime_inventory: inventory,
    pending_deletes: { servers: [], backends: [] },
  });

  const apply = async (request: IncomingMessage): Promise<readonly [number, object]> => {
    const began = performance.now();
    const parts = applyParts(request, request.headers);
    const first = (await parts.next()).value as ApplyPart | undefined;
    if (first?.kind !== 'manifest')
      return [400, { stage: 'request', message: 'the first part is no manifest' }];
    const parsed = parseManifest(first.text, rules);
    if (!parsed.ok) return [400, { stage: 'manifest', message: parsed.message }];
    const { manifest } = parsed;
    const reason = fence(manifest, record);
    if (reason !== undefined)
      return [409, { ...planRoles(record), applied_token: record.appliedToken, reason }];
    const staging = await stageParts(manifest, parts, held, noArea);
    if (staging.kind === 'missing') return [409, { missing: staging.paths }];
    const proofCounter = record.proofCounter + 1;
    const plan = { id: manifest.plan_id, proof: `a:${proofCounter}` };
    const changed = new Map<string, Buffer>();
    for (const { path, source } of staging.set.staged) if ('bytes' in source) changed.set(path, source.bytes);
    record = {
      ...record,
      generation: record.generation + 1,
      proofCounter,
      appliedToken: manifest.token,
      applied: plan,
      running: plan,
      workerOps: plan,
      files: new Map<string, HeldFile>(staging.set.files),
    };
    held.replace(record.files, changed);
    const total = performance.now() - began;
    const ms = { stage_ms: total, admit_ms: 0, write_ms: 0, ops_ms: 0, finish_ms: 0, total_ms: total };
    const operations = [...manifest.ops, ...(manifest.op_batches ?? []).flat()];
    const isReload = manifest.mode === 'reload';
    return [
      200,
      {
        plan_id: plan.id,
        ok: true,
        mode: isReload ? 'reload' : operations.length > 0 ? 'runtime' : 'file_only',
        ...planRoles(record),
        applied_token: record.appliedToken,
        op_results: operations.map(({ kind }) => ({ kind, ok: true, output: '' })),
        ...(isReload && { reload: { performed: true, ok: true, worker_pid: 1, took_ms: 1, output: '' } }),
        haproxy,
        pending_deletes: { servers: [], backends: [] },
        at: new Date().toISOString(),
        timing: ms,
      },
    ];
  };

  const storePlan = async (request: IncomingMessage, url: URL): Promise<readonly [number, object]> => {
    for await (const _chunk of request);
    const { applied } = record;
    if (url.searchParams.get('plan_id') !== applied.id || url.searchParams.get('proof') !== applied.proof)
      return [409, { applied_plan_id: applied.id, applied_plan_proof: applied.proof }];
    record = { ...record, blob: { ...applied, digest: '0'.repeat(16) } };
    return [200, { plan_id: applied.id, proof: applied.proof }];
  };

  const answer = async (request: IncomingMessage): Promise<readonly [number, object]> => {
    const url = new URL(request.url ?? '/', 'http://agent');
    const what = `${request.method ?? ''} ${url.pathname}`;
    if (what === 'GET /v1/state') return [200, state()];
    if (what === 'POST /v1/apply') return apply(request);
    if (what === 'PUT /v1/plan') return storePlan(request, url);
    return [404, { stage: 'request', message: 'there is no such endpoint' }];
  };

  return (request: IncomingMessage, response: ServerResponse) => {
    answer(request).then(
      ([status, body]) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
      (error: unknown) => {
        process.stderr.write(`    simulated agent: ${String(error)}\n`);
        response.writeHead(500).end('{"stage":"internal","message":"the simulated agent failed"}');
      },
    );
  };
}

/** Only files of more than 4 MiB are staged on disk. */
const noArea: StagingArea = new Proxy({} as StagingArea, {
  get: () => () => Promise.reject(new Error('a simulated agent has no disk')),
});
