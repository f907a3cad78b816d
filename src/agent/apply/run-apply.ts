import type { ApplyManifest, ApplyResultMode } from '../../protocol/wire.ts';
import { commitFiles, type CommittedFiles } from '../files/commit-files.ts';
import type { JournalEntry } from '../files/journal.ts';
import { planJournal } from '../files/plan-journal.ts';
import { type WrittenFile, writeStaged } from '../files/write-staged.ts';
import type { ReloadOutcome } from '../runtime/reload-haproxy.ts';
import { firstDeletes } from '../runtime/first-deletes.ts';
import { type OperationRun, runOperations } from '../runtime/run-operations.ts';
import {
  type AgentRecord,
  noPlan,
  type PlanRef,
  samePlanRef,
  withoutBaseline,
} from '../state/agent-record.ts';
import { abortApply, dropLinks, recoverWorker } from './abort-apply.ts';
import { type ApplyAnswer, refusal } from './apply-answer.ts';
import type { ApplyClock, ApplyContext } from './apply-context.ts';
import { type ApplyOutcome, applyResult } from './apply-result.ts';
import { applyTiming } from './apply-timing.ts';
import { checkInvariants } from './check-invariants.ts';
import { chooseCourse, type Course, type ReadyWork } from './choose-course.ts';
import { earliestReload } from './reload-pacer.ts';
import { reloadWorker, type WantedConfig } from './reload-worker.ts';
import { settleRecord } from './settle-record.ts';
import type { StagedSet } from './stage-parts.ts';

type FilesOutcome =
  { readonly ok: true; readonly files: CommittedFiles } | { readonly ok: false; readonly error: Error };

/** What became of the worker. */
interface Activated {
  readonly mode: ApplyResultMode;
  readonly run?: OperationRun;
  readonly reload?: ReloadOutcome;
  /** When a reload that was put off is due. */
  readonly at?: number;
  readonly reason?: string;
}

/** What an apply is about to do, decided and on record. */
interface Undertaking {
  readonly manifest: ApplyManifest;
  readonly set: StagedSet;
  readonly removed: readonly string[];
  readonly course: Course;
  /** The record before, with its last known good plan brought up to date. */
  readonly before: AgentRecord;
  /** `before` in the phase `applying`: its journal leads back from what the apply puts on disk. */
  readonly under: AgentRecord;
  /** Journal entries of this apply. */
  readonly fresh: ReadonlyMap<string, JournalEntry>;
  /** The journal that ended when the applied plan became the last known good one; empty where it goes on. */
  readonly ended: ReadonlyMap<string, JournalEntry>;
}

/**
 * Brings files and worker to a fenced and verified desired set.
 *
 * Runtime commands run while the files are being written: HAProxy is reached after one round trip, and the answer is given
 * when both are done. This is safe since the phase `applying` and the wanted set are on record before either begins: an agent that
 * ends in between finds them at its next start and brings the pod to the one or the other set. A machine that crashes takes
 * the worker along, and the next one starts from the files, which are whole at any moment.
 */
export async function runApply(
  context: ApplyContext,
  manifest: ApplyManifest,
  set: StagedSet,
  clock: ApplyClock,
): Promise<ApplyAnswer> {
  const inventoryBefore = context.watch.inventory().generation;
  // Nothing is touched by what lies in the agent's own folder: its sync begins while all else is decided.
  const { written, begun } = writeStaged(context.area, set.staged);
  for (const writing of [written, begun]) writing.catch(() => undefined);
  const undertaking = await undertake(context, manifest, set, begun);
  if ('status' in undertaking) {
    await written.catch(() => undefined);
    await context.area.clear().catch(() => undefined);
    return undertaking;
  }
  const { under, course, removed } = undertaking;
  const started = performance.now();
  const spent = { writeMs: 0, opsMs: 0 };
  const opsTask = sendOperations(context, course).finally(() => (spent.opsMs = since(started)));
  const filesTask = putFiles(context, undertaking, written).finally(() => (spent.writeMs = since(started)));
  const [run, files] = await Promise.all([opsTask, filesTask]);
  if (!files.ok) return undoOperations(context, undertaking, run !== undefined, files.error);

  const filesChange = set.staged.length > 0 || removed.length > 0;
  const activated = await finishActivation(context, undertaking, run, filesChange);
  if (activated.reload !== undefined) spent.opsMs = since(started);
  const done = performance.now();
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
        finish: since(done),
        total: since(clock.began),
      }),
    }),
  });
  if (activated.reload?.ok === false) {
    await files.files.keep();
    const onDisk: AgentRecord = { ...under, files: set.files };
    const rollback = await abortApply(context, onDisk, activated.reload, run !== undefined);
    const error = { stage: 'reload', message: activated.reload.output };
    const told = answer({ ...activated, ok: false, mode: 'rejected', error, rollback });
    return { ...told, refused: activated.reload.verdict === 'refused' };
  }
  try {
    await commit(context, undertaking, activated);
  } catch (error) {
    await files.files.undo();
    const touched = run !== undefined || activated.reload !== undefined;
    return undoOperations(context, undertaking, touched, asError(error));
  }
  const afterwards = () => makeDurable(context, undertaking, files.files);
  return { ...answer({ ...activated, ok: true }), afterwards };
}

/**
 * The record and the last renames outlive the machine only after the answer: what is answered outlives the agent, and the
 * worker, which is what the answer is about, does not outlive the machine either. The next apply waits for it.
 */
async function makeDurable(
  context: ApplyContext,
  { under, ended }: Undertaking,
  files: CommittedFiles,
): Promise<void> {
  const { store, log } = context;
  try {
    await store.settle();
    await files.keep();
    // Only now no durable record names these links any more.
    dropLinks(context, ended);
    if (store.current().journal.size === 0) dropLinks(context, under.journal);
  } catch (error) {
    log.error({ err: error }, 'the apply may not outlive a crash of the machine');
  }
}

function since(start: number): number {
  return performance.now() - start;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** Decides and puts it on record; an answer when that cannot be done, with nothing touched. */
async function undertake(
  context: ApplyContext,
  manifest: ApplyManifest,
  set: StagedSet,
  begun: Promise<void>,
): Promise<Undertaking | ApplyAnswer> {
  const { store, held, area, options, log } = context;
  const known = store.current();
  const before = promote(known, manifest);
  const removed = [...held.all().keys()].filter((file) => !set.files.has(file));
  const written = set.staged.map((file) => file.path);
  try {
    const course = await chooseCourse(context, manifest, set, before);
    const fresh = await planJournal(options.baseDir, area, held.all(), before.journal, { written, removed });
    await begun;
    const under = announced(before, manifest, set, { course, fresh, removed });
    if (set.staged.length > 0 || removed.length > 0 || course.kind !== 'nothing') store.announce(under);
    const ended = before === known ? new Map<string, JournalEntry>() : known.journal;
    return { manifest, set, removed, course, before, under, fresh, ended };
  } catch (error) {
    log.error({ err: error }, 'apply could not be begun');
    return refusal('write', `the apply could not be begun: ${asError(error).message}`);
  }
}

/**
 * The applied plan passed the controller's gate: it is the last known good one now. Not while a reload is pending: then HAProxy
 * has not loaded it in this pod, and the way back is still needed.
 */
function promote(record: AgentRecord, manifest: ApplyManifest): AgentRecord {
  const validated = { id: manifest.validated_plan_id ?? '', proof: manifest.validated_plan_proof ?? '' };
  if (record.reloadPending !== undefined || !samePlanRef(validated, record.applied)) return record;
  return { ...record, lkg: record.applied, journal: new Map() };
}

/** Proofs are reserved with it, for the applied and for the worker's role of its own, so that none is ever given out twice. */
function announced(
  before: AgentRecord,
  manifest: ApplyManifest,
  set: StagedSet,
  { course, fresh, removed }: Pick<Undertaking, 'course' | 'fresh' | 'removed'>,
): AgentRecord {
  const changes = [
    ...set.staged.map((file) => [file.path, file.held] as const),
    ...removed.map((file) => [file, undefined] as const),
  ];
  const untouched = before.reloadPending !== undefined && sentBy(course) === undefined;
  return {
    ...before,
    phase: 'applying',
    proofCounter: before.proofCounter + (course.kind === 'scheduled' ? 2 : 1),
    journal: fresh.size === 0 ? before.journal : new Map([...before.journal, ...fresh]),
    wanted: {
      plan: { id: manifest.plan_id, proof: proofAt(before.proofCounter + 1) },
      token: manifest.token,
      changes: new Map(changes),
      worker: course.kind !== 'nothing' && !untouched,
    },
  };
}

function proofAt(counter: number): string {
  return `a:${String(counter)}`;
}

/** What is sent to the worker while the files are written. */
function sentBy(course: Course): ReadyWork | undefined {
  if (course.kind === 'operations') return course.work;
  return course.kind === 'scheduled' ? course.inPlace : undefined;
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

async function putFiles(
  { options, area, held, configCopy }: ApplyContext,
  { set, removed, fresh }: Undertaking,
  written: Promise<readonly WrittenFile[]>,
): Promise<FilesOutcome> {
  const config = held.all().get(options.configFile);
  try {
    const copying = configCopy.prepare(set.staged);
    // What is not in memory is in a file that is about to be renamed.
    if (set.staged.some(({ source }) => 'tempPath' in source)) await copying;
    const files = await commitFiles({
      baseDir: options.baseDir,
      staging: area,
      staged: set.staged,
      written,
      removed,
      last: options.configFile,
      lastBytes: config && held.inMemory(options.configFile, config),
      journal: fresh,
    });
    await copying;
    return { ok: true, files };
  } catch (error) {
    return { ok: false, error: asError(error) };
  }
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

async function commit(context: ApplyContext, undertaking: Undertaking, activated: Activated): Promise<void> {
  const { store, held, blob, clock, pacer, meters } = context;
  const { manifest, set, before, under } = undertaking;
  const plan: PlanRef = { id: manifest.plan_id, proof: proofAt(before.proofCounter + 1) };
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
  store.announce(next);
  if (next.reloadPending !== undefined) pacer.arm(next.reloadPending.at);
  const contents = new Map<string, Buffer>();
  for (const { path, source } of set.staged) if ('bytes' in source) contents.set(path, source.bytes);
  held.replace(set.files, contents);
  meters.generation(next.generation);
  checkInvariants(context, before, next, activated);
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
