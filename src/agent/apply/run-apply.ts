import type { Logger } from 'pino';
import type { ApplyManifest, ApplyResult, ApplyResultMode } from '../../protocol/wire.ts';
import type { AgentMeters } from '../agent-meters.ts';
import type { AgentOptions } from '../agent-options.ts';
import { commitFiles, type CommittedFiles } from '../files/commit-files.ts';
import type { HeldFiles } from '../files/held-files.ts';
import type { StagingArea } from '../files/staging-area.ts';
import type { DeferredDeletes } from '../runtime/deferred-deletes.ts';
import { reloadHaproxy, type ReloadOutcome } from '../runtime/reload-haproxy.ts';
import { type OperationRun, runOperations } from '../runtime/run-operations.ts';
import { type AgentRecord, noPlan, type PlanRef, withoutBaseline } from '../state/agent-record.ts';
import type { PlanBlobFile } from '../state/plan-blob.ts';
import type { RecordStore } from '../state/record-store.ts';
import type { WorkerWatch } from '../worker-watch.ts';
import { type ApplyAnswer, refusal } from './apply-answer.ts';
import { type ApplyOutcome, applyResult } from './apply-result.ts';
import { type Activation, planActivation } from './plan-activation.ts';
import type { StagedSet } from './stage-parts.ts';

/** What an apply works on. One apply at a time: the caller holds the lock. */
export interface ApplyContext {
  readonly options: AgentOptions;
  readonly log: Logger;
  readonly meters: AgentMeters;
  readonly store: RecordStore;
  readonly held: HeldFiles;
  readonly area: StagingArea;
  readonly blob: PlanBlobFile;
  readonly watch: WorkerWatch;
  readonly deletes: DeferredDeletes;
}

/** When the request came, and what was spent on it before this: milliseconds of `performance.now()`. */
export interface ApplyClock {
  readonly began: number;
  readonly stageMs: number;
  readonly admitMs: number;
}

type FilesOutcome =
  { readonly ok: true; readonly files: CommittedFiles } | { readonly ok: false; readonly error: Error };

/** What became of the worker. */
interface Activated {
  readonly mode: ApplyResultMode;
  readonly run?: OperationRun;
  readonly reload?: ReloadOutcome;
  readonly reason?: string;
}

/**
 * Brings files and worker to a fenced and verified desired set.
 *
 * Runtime commands run while the files are being written: HAProxy is reached after one round trip, and the answer is given
 * when both are done. This is safe since the phase `applying` is on record before either begins: an agent that ends in
 * between finds it at its next start, reloads whatever is on disk, and claims no baseline. A machine that crashes takes
 * the worker along, and the next one starts from the files, which are whole at any moment.
 */
export async function runApply(
  context: ApplyContext,
  manifest: ApplyManifest,
  set: StagedSet,
  clock: ApplyClock,
): Promise<ApplyAnswer> {
  const { store, held, watch, deletes } = context;
  const before = store.current();
  const removed = [...held.all().keys()].filter((file) => !set.files.has(file));
  const filesChange = set.staged.length > 0 || removed.length > 0;
  const activation = await admit(context, manifest, set);

  try {
    if (filesChange || activation.kind !== 'nothing') store.announce({ ...before, phase: 'applying' });
  } catch (error) {
    return nothingDone(context, error);
  }
  const started = performance.now();
  const spent = { writeMs: 0, opsMs: 0 };
  const opsTask = startOperations(context, activation).finally(() => (spent.opsMs = since(started)));
  const filesTask = putFiles(context, set, removed).finally(() => (spent.writeMs = since(started)));
  const [run, files] = await Promise.all([opsTask, filesTask]);
  if (!files.ok) return undoOperations(context, before, run, files.error);

  const activated = await finishActivation(context, activation, run, filesChange);
  if (activated.reload !== undefined) spent.opsMs = since(started);
  const done = performance.now();
  const answer = (outcome: Omit<ApplyOutcome, 'timing'>): ApplyAnswer => ({
    status: 200,
    body: applyResult(context, manifest, { ...outcome, timing: timingOf(clock, spent, done) }),
  });
  if (activated.reload?.ok === false) {
    const error = { stage: 'reload', message: activated.reload.output };
    const rollback = await rollBack(context, before, files.files, activated);
    return answer({ ...activated, ok: false, mode: 'rejected', error, rollback });
  }
  if (activated.reload?.ok === true) {
    deletes.reset();
    await watch.adopt(activated.reload.worker);
  }
  try {
    await commit(context, manifest, set, before);
  } catch (error) {
    await files.files.undo();
    return undoOperations(context, before, run, asError(error), activated.reload);
  }
  await files.files.keep();
  return answer({ ...activated, ok: true });
}

function since(start: number): number {
  return performance.now() - start;
}

function timingOf(
  clock: ApplyClock,
  spent: { readonly writeMs: number; readonly opsMs: number },
  done: number,
): ApplyResult['timing'] {
  const round = (ms: number) => Math.round(ms * 100) / 100;
  return {
    stage_ms: round(clock.stageMs),
    admit_ms: round(clock.admitMs),
    write_ms: round(spent.writeMs),
    ops_ms: round(spent.opsMs),
    finish_ms: round(since(done)),
    total_ms: round(since(clock.began)),
  };
}

function nothingDone(context: ApplyContext, error: unknown): ApplyAnswer {
  context.log.error({ err: error }, 'state file could not be written');
  return refusal('write', `the state file could not be written: ${asError(error).message}`);
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** How to activate, after the names that the operations create were freed; one that is still in use makes it a reload. */
async function admit(
  { held, watch, deletes }: ApplyContext,
  manifest: ApplyManifest,
  set: StagedSet,
): Promise<Activation> {
  const worker = watch.current();
  if (worker === undefined) return { kind: 'reload', reason: 'worker_changed' };
  const activation = await planActivation(manifest, worker.version, async (path) => {
    const staged = set.staged.find((file) => file.path === path);
    return staged !== undefined && 'bytes' in staged.source ? staged.source.bytes : held.content(path);
  });
  if (activation.kind !== 'operations') return activation;
  for (const target of activation.created) {
    if (!(await deletes.settle(target))) return { kind: 'reload', reason: 'pending_delete' };
  }
  return activation;
}

async function startOperations(
  { options, watch, deletes }: ApplyContext,
  activation: Activation,
): Promise<OperationRun | undefined> {
  const worker = watch.current();
  if (activation.kind !== 'operations' || worker === undefined) return undefined;
  const run = await runOperations(options.workerSocket, worker, activation.ready);
  if (run.outcome === 'ok') await deletes.add(worker, activation.deferred);
  return run;
}

async function putFiles(
  { options, area }: ApplyContext,
  set: StagedSet,
  removed: readonly string[],
): Promise<FilesOutcome> {
  try {
    const files = await commitFiles({
      baseDir: options.baseDir,
      staging: area,
      staged: set.staged,
      removed,
      last: options.configFile,
    });
    return { ok: true, files };
  } catch (error) {
    return { ok: false, error: asError(error) };
  }
}

async function finishActivation(
  context: ApplyContext,
  activation: Activation,
  run: OperationRun | undefined,
  filesChange: boolean,
): Promise<Activated> {
  if (activation.kind === 'nothing') return { mode: filesChange ? 'file_only' : 'noop' };
  if (run?.outcome === 'ok') return { mode: 'runtime', run };
  const reason =
    run === undefined
      ? activation.kind === 'reload'
        ? activation.reason
        : 'worker_changed'
      : run.outcome === 'rejected'
        ? 'op_rejected'
        : 'worker_changed';
  const reload = await reloadNow(context);
  return {
    mode: 'reload',
    reload,
    ...(run !== undefined && { run }),
    ...(reason !== undefined && { reason }),
  };
}

function reloadNow({ options, watch }: ApplyContext): Promise<ReloadOutcome> {
  return reloadHaproxy({
    masterSocket: options.masterSocket,
    workerSocket: options.workerSocket,
    former: watch.current(),
    timeoutMs: options.reloadTimeoutMs,
  });
}

async function commit(
  context: ApplyContext,
  manifest: ApplyManifest,
  set: StagedSet,
  before: AgentRecord,
): Promise<void> {
  const { store, held, watch, deletes, blob } = context;
  const proofCounter = before.proofCounter + 1;
  const plan: PlanRef = { id: manifest.plan_id, proof: `a:${String(proofCounter)}` };
  const stored = set.plan === undefined ? undefined : await blob.write(set.plan);
  const filesCommittedAt =
    set.files === before.files && set.staged.length === 0 ? before.filesCommittedAt : Date.now() * 1000;
  await store.commit({
    ...before,
    phase: 'committed',
    generation: before.generation + 1,
    proofCounter,
    appliedToken: manifest.token,
    applied: plan,
    running: plan,
    workerOps: plan,
    worker: watch.current(),
    filesCommittedAt,
    blob: stored === undefined ? undefined : { ...plan, digest: stored },
    pendingDeletes: deletes.pending(),
    files: set.files,
  });
  const contents = new Map<string, Buffer>();
  for (const { path, source } of set.staged) if ('bytes' in source) contents.set(path, source.bytes);
  held.replace(set.files, contents);
}

/** The files could not be written and are as they were. A worker that was changed meanwhile is brought back to them. */
async function undoOperations(
  context: ApplyContext,
  before: AgentRecord,
  run: OperationRun | undefined,
  error: Error,
  reload?: ReloadOutcome,
): Promise<ApplyAnswer> {
  context.log.error({ err: error }, 'files could not be written');
  await context.area.clear().catch(() => undefined);
  if (run === undefined && reload === undefined) await settleRecord(context, before);
  else await recover(context, before);
  return refusal('write', `the files could not be written: ${error.message}`);
}

/** The files as before, and a worker started on them; no baseline, since an apply failed halfway. */
async function recover(context: ApplyContext, before: AgentRecord): Promise<boolean> {
  const reload = await reloadNow(context);
  if (reload.ok) {
    context.deletes.reset();
    await context.watch.adopt(reload.worker);
  }
  const known = withoutBaseline(before);
  const served = reload.ok ? { running: before.applied, workerOps: before.applied } : {};
  await settleRecord(context, { ...known, ...served, worker: context.watch.current() });
  return reload.ok;
}

async function rollBack(
  context: ApplyContext,
  before: AgentRecord,
  files: CommittedFiles,
  activated: Activated,
): Promise<{ readonly performed: boolean; readonly reloaded: boolean }> {
  await files.undo();
  await context.area.clear();
  if (activated.run !== undefined) return { performed: true, reloaded: await recover(context, before) };
  const refused = activated.reload?.ok === false && activated.reload.verdict === 'refused';
  const served = refused ? { running: before.running, workerOps: before.workerOps } : { running: noPlan };
  await settleRecord(context, { ...withoutBaseline(before), ...served });
  return { performed: true, reloaded: false };
}

/**
 * A disk that takes nothing must not hide the answer: the phase on disk then stays `applying`, which is true, and this process
 * goes on without a baseline.
 */
async function settleRecord(context: ApplyContext, record: AgentRecord): Promise<void> {
  try {
    await context.store.commit({ ...record, phase: 'committed' });
  } catch (error) {
    context.log.error({ err: error }, 'state file could not be written');
    context.store.assume({ ...withoutBaseline(record), phase: 'applying' });
  }
}
