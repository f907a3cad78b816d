import type { ApplyManifest, ApplyResultMode } from '../../protocol/wire.ts';
import type { ReloadOutcome } from '../runtime/reload-haproxy.ts';
import { firstDeletes } from '../runtime/first-deletes.ts';
import { type OperationRun, runOperations } from '../runtime/run-operations.ts';
import { type AgentRecord, noPlan, type PlanRef, withoutBaseline } from '../state/agent-record.ts';
import { abortApply, recoverWorker } from './abort-apply.ts';
import { type ApplyAnswer, refusal } from './apply-answer.ts';
import type { ApplyClock, ApplyContext } from './apply-context.ts';
import { type ApplyOutcome, applyResult } from './apply-result.ts';
import { applyTiming } from './apply-timing.ts';
import { checkInvariants } from './check-invariants.ts';
import type { Course } from './choose-course.ts';
import { makeDurable } from './make-durable.ts';
import { placeFiles } from './place-files.ts';
import { proofAt } from './proof-at.ts';
import { putFiles } from './put-files.ts';
import { earliestReload } from './reload-pacer.ts';
import { reloadWorker, type WantedConfig } from './reload-worker.ts';
import { sentBy } from './sent-by.ts';
import { settleRecord } from './settle-record.ts';
import type { StagedSet } from './stage-parts.ts';
import { undertake, type Undertaking } from './undertake.ts';

/** What became of the worker. */
interface Activated {
  readonly mode: ApplyResultMode;
  readonly run?: OperationRun;
  readonly reload?: ReloadOutcome;
  /** When a reload that was put off is due. */
  readonly at?: number;
  readonly reason?: string;
}

/**
 * Brings files and worker to a fenced and verified desired set.
 *
 * An apply by commands is answered when HAProxy has done them: its bytes are in the agent's folder or on record by then, and the record says
 * that they go from there to their places, which they do after the answer. All others have their files in place before HAProxy is asked for
 * anything that reads them. This is safe since the phase `applying` and the wanted set are on record before either begins: an agent
 * that ends in between finds them at its next start and brings the pod to the one or the other set; what was answered, to the new one. A
 * machine that crashes takes the worker along, and the next one starts from the files, which are whole at any moment.
 */
export async function runApply(
  context: ApplyContext,
  manifest: ApplyManifest,
  set: StagedSet,
  clock: ApplyClock,
): Promise<ApplyAnswer> {
  const inventoryBefore = context.watch.inventory().generation;
  const undertaking = await undertake(context, manifest, set);
  if ('status' in undertaking) return undertaking;
  const { under, course, removed, writing } = undertaking;
  const started = performance.now();
  const spent = { writeMs: 0, opsMs: 0, done: 0 };
  const answer = (outcome: Omit<ApplyOutcome, 'timing' | 'inventoryBefore'>) => ({
    status: 200 as const,
    body: applyResult(context, manifest, {
      ...outcome,
      inventoryBefore,
      timing: applyTiming({
        stage: clock.stageMs,
        admit: clock.admitMs,
        write: spent.writeMs,
        ops: spent.opsMs,
        finish: since(spent.done),
        total: since(clock.began),
      }),
    }),
  });
  const sending = sendOperations(context, course).finally(() => (spent.opsMs = since(started)));
  const putting = () =>
    putFiles(context, undertaking, writing.synced()).finally(() => (spent.writeMs = since(started)));
  const filesChange = set.staged.length > 0 || removed.length > 0;

  let early: Awaited<ReturnType<typeof putFiles>> | undefined;
  let run: OperationRun | undefined;
  if (course.kind === 'operations') {
    const bytes = writing.held.finally(() => (spent.writeMs = since(started)));
    const [sent, kept] = await Promise.allSettled([sending, bytes]);
    if (sent.status === 'rejected') throw asError(sent.reason);
    run = sent.value;
    if (kept.status === 'rejected')
      return undoOperations(context, undertaking, run !== undefined, asError(kept.reason));
    if (run?.outcome === 'ok' && filesChange) {
      spent.done = performance.now();
      const activated: Activated = { mode: 'runtime', run };
      try {
        await commit(context, undertaking, activated, true);
      } catch (error) {
        return undoOperations(context, undertaking, true, asError(error));
      }
      const afterwards = () => placeFiles(context, undertaking);
      return { ...answer({ ...activated, ok: true }), afterwards };
    }
  } else {
    [run, early] = await Promise.all([sending, putting()]);
  }
  const files = early ?? (await putting());
  if (!files.ok) return undoOperations(context, undertaking, run !== undefined, files.error);

  const activated = await finishActivation(context, undertaking, run, filesChange);
  if (activated.reload !== undefined) spent.opsMs = since(started);
  spent.done = performance.now();
  if (activated.reload?.ok === false) {
    await files.files.keep();
    const onDisk: AgentRecord = { ...under, files: set.files };
    const rollback = await abortApply(context, onDisk, activated.reload, run !== undefined);
    const error = { stage: 'reload', message: activated.reload.output };
    const told = answer({ ...activated, ok: false, mode: 'rejected', error, rollback });
    return { ...told, refused: activated.reload.verdict === 'refused' };
  }
  try {
    await commit(context, undertaking, activated, false);
  } catch (error) {
    await files.files.undo();
    const touched = run !== undefined || activated.reload !== undefined;
    return undoOperations(context, undertaking, touched, asError(error));
  }
  const afterwards = () => makeDurable(context, undertaking, files.files);
  return { ...answer({ ...activated, ok: true }), afterwards };
}

function since(start: number): number {
  return performance.now() - start;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

async function sendOperations(
  { options, watch, deletes, meters }: ApplyContext,
  course: Course,
): Promise<OperationRun | undefined> {
  const work = sentBy(course);
  const worker = watch.current();
  if (work === undefined || worker === undefined) return undefined;
  const first = firstDeletes(work.deferred);
  const run = await runOperations(options.workerSocket, worker, work.ready, first.commands);
  if (run.outcome === 'ok') {
    watch.extend(work.ready);
    await deletes.add(worker, work.deferred, first.outcomes);
  }
  // What comes after the first refusal is not known to be one.
  const refused = run.results.find(({ ok }) => !ok);
  if (refused !== undefined) meters.operationError(refused.kind);
  return run;
}

async function finishActivation(
  context: ApplyContext,
  { before, course, set }: Undertaking,
  run: OperationRun | undefined,
  filesChange: boolean,
): Promise<Activated> {
  if (course.kind === 'nothing') return { mode: filesChange ? 'file_only' : 'noop' };
  const ran = run === undefined ? {} : { run };
  if (course.kind === 'scheduled') {
    const { at, reason } = course;
    return { mode: 'scheduled', at, ...ran, ...(reason !== undefined && { reason }) };
  }
  if (run?.outcome === 'ok') return { mode: 'runtime', run };
  const reason = course.kind === 'reload' ? course.reason : (run?.reason ?? 'worker_changed');
  const because = reason === undefined ? {} : { reason };
  const now = context.clock.now();
  const at = earliestReload(now, before.lastReloadAt, context.options.reloadIntervalMs);
  if (at > now) return { mode: 'scheduled', at, ...ran, ...because };
  const reload = await reloadWorker(context, wantedConfig(context, set));
  return { mode: 'reload', reload, ...ran, ...because };
}

function wantedConfig({ options }: ApplyContext, set: StagedSet): WantedConfig | undefined {
  const held = set.files.get(options.configFile);
  const source = set.staged.find(({ path }) => path === options.configFile)?.source;
  return held && { held, bytes: source !== undefined && 'bytes' in source ? source.bytes : undefined };
}

/** @param placing the files are not in their places yet: the record says where they are to go, and whoever starts next goes on with it */
async function commit(
  context: ApplyContext,
  undertaking: Undertaking,
  activated: Activated,
  placing: boolean,
): Promise<void> {
  const { store, held, blob, clock, pacer, meters } = context;
  const { manifest, set, before, under } = undertaking;
  const { plan } = under.wanted;
  const stored = set.plan === undefined ? undefined : await blob.write(set.plan);
  const untouched = set.files === before.files && set.staged.length === 0;
  const next: AgentRecord = {
    ...under,
    ...rolesAfter(context, undertaking, activated, plan),
    phase: activated.mode === 'scheduled' ? 'scheduled' : 'committed',
    generation: before.generation + 1,
    appliedToken: manifest.token,
    applied: plan,
    wanted: undefined,
    worker: context.watch.current(),
    filesCommittedAt: untouched ? before.filesCommittedAt : clock.now() * 1000,
    // A former plan's stays until the next comes: the next leader reads from it what had been accepted.
    blob: stored === undefined ? before.blob : { ...plan, digest: stored },
    pendingDeletes: context.deletes.saved(),
    lastApply: undefined,
    files: set.files,
  };
  if (placing) announcePlacing(context, undertaking, next);
  else store.announce(next);
  if (next.reloadPending !== undefined) pacer.arm(next.reloadPending.at);
  const contents = new Map<string, Buffer>();
  for (const { path, source } of set.staged) if ('bytes' in source) contents.set(path, source.bytes);
  held.replace(set.files, contents);
  meters.generation(next.generation);
  checkInvariants(context, before, next, activated);
}

/** On disk `files` stay the former ones until the wanted ones are in place, so that there is a way back as well where bytes are lost. */
function announcePlacing(
  { store }: ApplyContext,
  { under, patches = new Map() }: Undertaking,
  next: AgentRecord,
): void {
  const { worker, blob, pendingDeletes, lastApply } = next;
  const wanted = { ...under.wanted, worker: false, patches };
  store.announce(
    { ...under, phase: 'placing', wanted, worker, blob, pendingDeletes, lastApply },
    { ...next, phase: 'placing', wanted },
  );
}

/** Which plan the worker is on, the way back, and what is left to do. */
function rolesAfter(
  { clock }: ApplyContext,
  { manifest, before, course }: Undertaking,
  { mode, run, at, reason }: Activated,
  plan: PlanRef,
): Partial<AgentRecord> {
  const onPlan = { running: plan, workerOps: plan, reloadPending: undefined };
  if (mode === 'reload') return { ...onPlan, lkg: plan, journal: new Map(), lastReloadAt: clock.now() };
  if (mode !== 'scheduled' || at === undefined) return onPlan;
  const first = before.reloadPending?.reason ?? reason;
  const inPlace: PlanRef = {
    id: manifest.worker_ops_plan_id ?? '',
    proof: proofAt(before.proofCounter + 2),
  };
  const ranInPlace = course.kind === 'scheduled' && run?.outcome === 'ok' ? inPlace : noPlan;
  return {
    running: before.running,
    // What a refusal left behind on the worker corresponds to no plan.
    workerOps: run === undefined ? before.workerOps : ranInPlace,
    reloadPending: { at, ...(first !== undefined && { reason: first }) },
  };
}

/** The files could not be written and are as they were. A worker that was changed meanwhile is brought back to them. */
async function undoOperations(
  context: ApplyContext,
  { before, under }: Undertaking,
  touched: boolean,
  error: Error,
): Promise<ApplyAnswer> {
  context.log.error({ err: error }, 'files could not be written');
  await context.area.clear().catch(() => undefined);
  const { proofCounter } = under;
  if (touched) await bringBack(context, { ...before, proofCounter });
  else await settleRecord(context, { ...before, proofCounter }, { untouched: true });
  return refusal('write', `the files could not be written: ${error.message}`);
}

/** The worker goes back to the former files by a reload; no baseline, since an apply failed halfway. */
async function bringBack(context: ApplyContext, before: AgentRecord): Promise<void> {
  context.pacer.disarm();
  const record = { ...withoutBaseline(before), reloadPending: undefined };
  await recoverWorker(context, record, before.applied);
}
