import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { CodedError } from '../lib/coded-error.ts';
import { limits } from '../protocol/limits.ts';
import { planSchemaVersion } from '../protocol/plan.ts';
import { apiVersion, type AgentState, type ApplyResult } from '../protocol/wire.ts';
import { type AgentMeters, noMeters } from './agent-meters.ts';
import { type AgentOptions, planBlobPath, reservedPaths } from './agent-options.ts';
import { type ApplyAnswer, refusal } from './apply/apply-answer.ts';
import { applyParts, type ApplyPart } from './apply/apply-parts.ts';
import { planRoles, unknownWorker } from './apply/apply-result.ts';
import { fence } from './apply/fence.ts';
import { parseManifest } from './apply/parse-manifest.ts';
import { type ApplyContext, runApply } from './apply/run-apply.ts';
import { stageParts } from './apply/stage-parts.ts';
import { createApplyLock } from './apply-lock.ts';
import { createHeldFiles } from './files/held-files.ts';
import { createStagingArea } from './files/staging-area.ts';
import { pause } from './pause.ts';
import { executableKinds } from './runtime/compile-operation.ts';
import { createDeferredDeletes } from './runtime/deferred-deletes.ts';
import { adoptWorker, restart } from './startup.ts';
import { planBlobFile } from './state/plan-blob.ts';
import { openRecordStore } from './state/record-store.ts';
import { samePlanRef, withoutBaseline } from './state/agent-record.ts';
import { createWorkerWatch } from './worker-watch.ts';

/** What this agent understands beyond the first version of the protocol. */
export const agentFeatures = ['file_patch', 'runtime_batches', 'worker_fence'] as const;

export type PlanStoring =
  | { readonly kind: 'stored'; readonly plan_id: string; readonly proof: string }
  | { readonly kind: 'moved'; readonly applied_plan_id: string; readonly applied_plan_proof: string };

/** The agent behind its HTTP interface: owner of a pod's file tree and of HAProxy's sockets. */
export interface Agent {
  /** Start-up is done; never false again. */
  ready(): boolean;
  state(options: { readonly verify: boolean; readonly plan: boolean }): Promise<AgentState>;
  apply(body: Readable, headers: IncomingHttpHeaders): Promise<ApplyAnswer>;
  storePlan(planId: string, proof: string, blob: Buffer): Promise<PlanStoring>;
  /**
   * Start-up, then watching over the worker; resolves when `signal` is aborted and what was in flight is done. Applies are
   * answered 503 until start-up is done.
   */
  run(signal: AbortSignal): Promise<void>;
}

const watchMs = 1_000;

/** Reads the state file; touches neither HAProxy nor any other file before `run`. */
export async function createAgent(
  options: AgentOptions,
  log: Logger,
  meters: AgentMeters = noMeters(),
): Promise<Agent> {
  const { store, loaded } = await openRecordStore(options.stateFile);
  if (typeof loaded !== 'string')
    log.warn({ reason: loaded.unusable }, 'state file is not usable: the baseline is unknown');
  const context: ApplyContext = {
    options,
    log,
    meters,
    store,
    held: createHeldFiles(options.baseDir, store.current().files),
    area: createStagingArea(options.baseDir),
    blob: planBlobFile(planBlobPath(options)),
    watch: createWorkerWatch(options.workerSocket),
    deletes: createDeferredDeletes({
      socket: options.workerSocket,
      onOutcome: (target, outcome) => log.debug({ target, outcome }, 'deferred delete ended'),
    }),
  };
  const { held, watch, deletes, area, blob } = context;
  const exclusive = createApplyLock();
  const rules = { configFile: options.configFile, reserved: reservedPaths(options) };
  let ready = false;
  let lastApply: ApplyResult | undefined;

  const applyLocked = async (
    text: string,
    rest: AsyncGenerator<ApplyPart>,
    began: number,
  ): Promise<ApplyAnswer> => {
    const parsed = parseManifest(text, rules);
    if (!parsed.ok) return refusal('manifest', parsed.message);
    const { manifest } = parsed;
    const record = store.current();
    const reason = fence(manifest, record);
    if (reason !== undefined)
      return {
        status: 409,
        body: { ...planRoles(record), applied_token: record.appliedToken, reason },
      };
    const admitted = performance.now();
    const staging = await stageParts(manifest, rest, held, area).catch(async (error: unknown) => {
      await area.clear().catch(() => undefined);
      if (error instanceof CodedError) return refusal('parts', error.message);
      log.error({ err: error }, 'files could not be staged');
      return refusal('write', 'the files could not be staged');
    });
    if ('status' in staging) return staging;
    if (staging.kind === 'missing') {
      await area.clear();
      return { status: 409, body: { missing: staging.paths } };
    }
    const stageMs = performance.now() - admitted;
    const clock = { began, stageMs, admitMs: admitted - began };
    return runApply(context, manifest, staging.set, clock).catch(async (error: unknown) => {
      // Files and worker may be anywhere between the two plans: nothing is claimed, and the phase on disk stays `applying`.
      log.error({ err: error }, 'apply failed');
      await held.verify();
      store.assume({ ...withoutBaseline(store.current()), phase: 'applying', files: held.all() });
      return refusal('internal', 'the agent failed; its log has the reason');
    });
  };

  const apply = async (body: Readable, headers: IncomingHttpHeaders): Promise<ApplyAnswer> => {
    const began = performance.now();
    if (!ready) return refusal('startup', 'the agent has not finished its start-up');
    const parts = applyParts(body, headers);
    try {
      const first = (await parts.next()).value as ApplyPart | undefined;
      if (first?.kind !== 'manifest') return refusal('request', 'the first part is not the manifest');
      const answer = await exclusive(() => applyLocked(first.text, parts, began));
      if (answer.status === 200) lastApply = answer.body;
      report(log, answer);
      return answer;
    } catch (error) {
      if (error instanceof CodedError) return refusal('request', error.message);
      log.error({ err: error }, 'apply failed');
      return refusal('internal', 'the agent failed; its log has the reason');
    } finally {
      await parts.return(undefined);
    }
  };

  const verifyTree = async (): Promise<string | undefined> => {
    const wrong = await held.verify();
    if (wrong.length === 0) return undefined;
    log.error({ files: wrong.slice(0, limits.reasons) }, 'files on disk are not the applied ones');
    await store.commit({ ...withoutBaseline(store.current()), files: held.all() });
    return `disk_is_the_desired_set: ${wrong.slice(0, limits.reasons).join(', ')}`;
  };

  const state = async (wanted: { readonly verify: boolean; readonly plan: boolean }): Promise<AgentState> => {
    const violation = wanted.verify ? await exclusive(verifyTree) : undefined;
    const record = store.current();
    const stored = record.blob;
    const planBytes = wanted.plan && stored !== undefined ? await blob.read(stored.digest) : undefined;
    const worker = watch.current() ?? unknownWorker;
    return {
      api_version: apiVersion,
      agent_version: options.agentVersion,
      plan_schema_version: planSchemaVersion,
      agent_ops: executableKinds(worker.version),
      features: agentFeatures,
      haproxy: worker,
      generation: record.generation,
      ...planRoles(record),
      applied_token: record.appliedToken,
      ...(planBytes !== undefined && { applied_plan: planBytes.toString('base64') }),
      applied_plan_stored: stored !== undefined,
      files: Object.fromEntries(
        [...held.all()].map(([path, { digest, proof, size }]) => [path, { digest, proof, size }]),
      ),
      runtime_inventory: watch.inventory(),
      pending_deletes: deletes.pending(),
      ...(lastApply !== undefined && { last_apply: lastApply }),
      ...(violation !== undefined && { invariant_violation: violation }),
    };
  };

  const storePlan = (planId: string, proof: string, bytes: Buffer): Promise<PlanStoring> =>
    exclusive(async () => {
      const record = store.current();
      if (!samePlanRef(record.applied, { id: planId, proof }))
        return {
          kind: 'moved',
          applied_plan_id: record.applied.id,
          applied_plan_proof: record.applied.proof,
        };
      const stored = await blob.write(bytes);
      await store.commit({ ...record, blob: { ...record.applied, digest: stored } });
      return { kind: 'stored', plan_id: planId, proof };
    });

  const adoptOther = async () => {
    const other = await watch.findOther();
    if (other !== undefined) await adoptWorker(context, other);
  };

  /** HAProxy went away while it was asked: the next look finds it again. */
  const haproxyFailed = (error: unknown): false => {
    if (!(error instanceof CodedError)) throw error;
    log.warn({ err: error }, 'HAProxy does not answer');
    return false;
  };

  const run = async (signal: AbortSignal): Promise<void> => {
    do {
      ready = await restart(context, signal).catch(haproxyFailed);
    } while (!ready && (await pause(watchMs, signal)));
    if (ready) log.info({ haproxy: watch.current()?.full_version }, 'agent is ready');
    while (await pause(watchMs, signal)) {
      if ((await watch.findOther()) !== undefined) await exclusive(adoptOther).catch(haproxyFailed);
    }
    await exclusive(() => Promise.resolve());
    deletes.stop();
  };

  return { ready: () => ready, state, apply, storePlan, run };
}

function report(log: Logger, answer: ApplyAnswer): void {
  if (answer.status === 200) {
    const { plan_id, ok, mode, timing, reload, error } = answer.body;
    const fields = { plan: plan_id, mode, ms: timing.total_ms, reason: reload?.reason };
    if (ok) log.info(fields, 'applied');
    else log.warn({ ...fields, stage: error?.stage, error: error?.message }, 'apply rejected');
  } else if (answer.status === 409) {
    log.info(
      'missing' in answer.body ? { missing: answer.body.missing.length } : { reason: answer.body.reason },
      'apply conflicts',
    );
  } else {
    log.warn({ stage: answer.body.stage, error: answer.body.message }, 'apply refused');
  }
}
