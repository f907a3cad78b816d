import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { setImmediate as immediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import { CodedError } from '../lib/coded-error.ts';
import { limits } from '../protocol/limits.ts';
import { planSchemaVersion } from '../protocol/plan.ts';
import {
  apiVersion,
  type AgentState,
  type ApplyResult,
  type Divergence,
  softStopFeature,
} from '../protocol/wire.ts';
import { type AgentMeters, noMeters } from './agent-meters.ts';
import { type AgentOptions, planBlobPath, reservedPaths } from './agent-options.ts';
import { type ApplyAnswer, refusal, refusedForSoftStop } from './apply/apply-answer.ts';
import { applyParts, type ApplyPart } from './apply/apply-parts.ts';
import { planRoles, unknownWorker } from './apply/apply-result.ts';
import type { ApplyContext } from './apply/apply-context.ts';
import { handleApply, type HandleDeps } from './apply/handle-apply.ts';
import { createKnownBad } from './apply/known-bad.ts';
import { createReadBack } from './apply/read-back.ts';
import { createReloadPacer } from './apply/reload-pacer.ts';
import { reportApply } from './apply/report-apply.ts';
import { runScheduledReload, scheduleReload } from './apply/scheduled-reload.ts';
import { settleRecord } from './apply/settle-record.ts';
import { type Clock, systemClock } from './clock.ts';
import { createConfigCopy } from './keep-config-copy.ts';
import { createApplyLock } from './apply-lock.ts';
import { createHeldFiles } from './files/held-files.ts';
import { createStagingArea } from './files/staging-area.ts';
import { createAbsence } from './haproxy-absence.ts';
import { pause } from './pause.ts';
import { createDeferredDeletes } from './runtime/deferred-deletes.ts';
import { executableKinds } from './runtime/executable-kinds.ts';
import { deleteKey } from './runtime/pending-delete.ts';
import { createSoftStop } from './soft-stop.ts';
import { adoptWorker, restart } from './startup.ts';
import { planBlobFile } from './state/plan-blob.ts';
import { openRecordStore } from './state/record-store.ts';
import { samePlanRef, withoutBaseline, withoutJournal } from './state/agent-record.ts';
import { createWorkerWatch } from './worker-watch.ts';

/** What every agent of this version understands beyond the first version of the protocol. */
export const agentFeatures = [
  'file_patch',
  'file_changes',
  'runtime_batches',
  'worker_fence',
  'in_place_ops',
  'reload_pacing',
  'revert_lkg',
] as const;

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
   * HAProxy is about to be told to end. Resolves when nothing is under way to it and nothing more will be: what comes is refused, and no
   * reload is done, until another HAProxy answers or the present one has not been told so within ten seconds.
   */
  announceSoftStop(): Promise<void>;
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
  clock: Clock = systemClock,
): Promise<Agent> {
  const { store, loaded } = await openRecordStore(options.stateFile);
  if (typeof loaded !== 'string')
    log.warn({ reason: loaded.unusable }, 'state file is not usable: the baseline is unknown');
  const exclusive = createApplyLock();
  const held = createHeldFiles(options.baseDir, store.current().files);
  const area = createStagingArea(options.baseDir, {
    onUnknownMount: (folder) => {
      meters.invariant('mount_probe_found_every_mount');
      log.error({ folder }, 'files cannot be renamed into this folder: it is a mount of its own');
    },
  });
  const context: ApplyContext = {
    options,
    log,
    clock,
    meters,
    store,
    held,
    area,
    configCopy: createConfigCopy({
      baseDir: options.baseDir,
      configFile: options.configFile,
      held,
      area,
      log,
    }),
    pacer: createReloadPacer(clock, () => void busy(reloadAsScheduled).catch(haproxyFailed)),
    blob: planBlobFile(planBlobPath(options)),
    watch: createWorkerWatch(options.workerSocket),
    deletes: createDeferredDeletes({
      socket: options.workerSocket,
      drainTimeoutMs: options.drainTimeoutMs,
      now: () => clock.now(),
      onOutcome: (target, outcome) => {
        meters.deferredDelete(target.kind, outcome);
        log.debug({ name: deleteKey(target), outcome }, 'deferred delete');
      },
    }),
  };
  const { watch, deletes, blob } = context;
  let ready = false;
  const softStop = createSoftStop(clock);
  let lastApply: ApplyResult | undefined;
  let lastDivergence: Divergence | undefined;
  let activity = 0;
  /** Under the lock; odd `activity` meanwhile. */
  const busy = <T>(task: () => Promise<T>): Promise<T> =>
    exclusive(() => {
      activity++;
      return task().finally(() => activity++);
    });
  const readBack = createReadBack({
    socket: options.workerSocket,
    clock,
    worker: () => watch.current(),
    activity: () => activity,
    contentOf: (file) => held.content(file),
    onDivergence: (found) => {
      for (const _map of found.maps) meters.mapDivergence();
      lastDivergence = { at: new Date(clock.now()).toISOString(), ...found };
      log.error(found, 'the worker is not what the files say: reloading it');
      void busy(() => scheduleReload(context, store.current(), 'diverged')).catch(haproxyFailed);
    },
  });
  const handling: HandleDeps = {
    context,
    rules: { configFile: options.configFile, reserved: reservedPaths(options) },
    knownBad: createKnownBad(() => clock.now()),
    onApplied: ({ ops, op_batches: batches }, mode) => {
      if (mode === 'runtime') readBack.touched([...ops, ...(batches ?? []).flat()]);
      // With a reload to come the files are ahead of the worker; the next worker starts from them.
      else if (mode === 'reload' || mode === 'scheduled') readBack.forget();
    },
  };

  const apply = async (body: Readable, headers: IncomingHttpHeaders): Promise<ApplyAnswer> => {
    const began = performance.now();
    if (!ready) return refusal('startup', 'the agent has not finished its start-up');
    const parts = applyParts(body, headers);
    try {
      const first = (await parts.next()).value as ApplyPart | undefined;
      if (first?.kind !== 'manifest') return refusal('request', 'the first part is not the manifest');
      return await answered<ApplyAnswer>((early) =>
        busy(async () => {
          const result = softStop.isAnnounced()
            ? refusedForSoftStop
            : await handleApply(handling, first.text, parts, began);
          if (result.status === 200) lastApply = result.body;
          early(result);
          // The answer goes out first.
          await immediate();
          reportApply(log, meters, result);
          if (result.status === 200) await result.afterwards?.();
        }),
      );
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
    meters.invariant('disk_is_the_desired_set');
    context.pacer.disarm();
    const unknown = withoutJournal(withoutBaseline(store.current()));
    await settleRecord(context, { ...unknown, reloadPending: undefined, files: held.all() });
    return `disk_is_the_desired_set: ${wrong.slice(0, limits.reasons).join(', ')}`;
  };

  const state = async (wanted: { readonly verify: boolean; readonly plan: boolean }): Promise<AgentState> => {
    const violation = wanted.verify ? await exclusive(verifyTree) : undefined;
    const record = store.current();
    const stored = record.blob;
    const isOfApplied = stored !== undefined && samePlanRef(record.applied, stored);
    const planBytes = wanted.plan && stored !== undefined ? await blob.read(stored.digest) : undefined;
    const worker = watch.current() ?? unknownWorker;
    const told = lastApply ?? record.lastApply;
    return {
      api_version: apiVersion,
      agent_version: options.agentVersion,
      plan_schema_version: planSchemaVersion,
      agent_ops: executableKinds(worker.version),
      // Without a drain nobody is told when HAProxy is about to end.
      features: options.drain === undefined ? agentFeatures : [...agentFeatures, softStopFeature],
      haproxy: worker,
      generation: record.generation,
      ...planRoles(record),
      applied_token: record.appliedToken,
      ...(planBytes !== undefined && {
        [isOfApplied ? 'applied_plan' : 'former_plan']: planBytes.toString('base64'),
      }),
      applied_plan_stored: isOfApplied,
      files: Object.fromEntries(
        [...held.all()].map(([path, { digest, proof, size }]) => [path, { digest, proof, size }]),
      ),
      runtime_inventory: watch.inventory(),
      ...(record.reloadPending !== undefined && {
        reload_pending_at: new Date(record.reloadPending.at).toISOString(),
      }),
      pending_deletes: deletes.pending(),
      ...(told !== undefined && { last_apply: told }),
      ...(violation !== undefined && { invariant_violation: violation }),
      ...(lastDivergence !== undefined && { last_divergence: lastDivergence }),
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

  const reloadAsScheduled = async () => {
    if (softStop.isAnnounced()) return;
    readBack.forget();
    lastApply = (await runScheduledReload(context)) ?? lastApply;
  };

  const announceSoftStop = async (): Promise<void> => {
    softStop.announce();
    await exclusive(() => Promise.resolve());
    log.info('HAProxy is about to end: nothing more is taken');
  };
  /** A reload that came due meanwhile was not done. */
  const withdrawSoftStop = () => {
    if (!softStop.isAnnounced()) return;
    log.info('HAProxy serves on');
    softStop.withdraw();
    const pending = store.current().reloadPending;
    if (pending !== undefined) context.pacer.arm(pending.at);
  };

  const absence = createAbsence(context);
  /** Under the lock, since an apply may be about to replace the worker. */
  const lookAtWorker = async () => {
    try {
      const other = await watch.look();
      absence.answered();
      if (other === undefined) return;
      withdrawSoftStop();
      await adoptWorker(context, other);
    } catch (error) {
      await absence.silent(error);
    }
  };
  const isSettled = () =>
    watch.look().then(
      (other) => other === undefined,
      () => false,
    );

  /** HAProxy went away while it was asked: the next look finds it again. */
  const haproxyFailed = (error: unknown): false => {
    if (!(error instanceof CodedError)) throw error;
    log.warn({ err: error }, 'HAProxy does not answer');
    return false;
  };

  const run = async (signal: AbortSignal): Promise<void> => {
    do {
      ready = await restart(context, signal, busy).catch(haproxyFailed);
    } while (!ready && (await pause(watchMs, signal)));
    if (ready) log.info({ haproxy: watch.current()?.full_version }, 'agent is ready');
    while (await pause(watchMs, signal)) {
      if (await isSettled()) {
        absence.answered();
        if (softStop.isOverdue()) withdrawSoftStop();
      } else await busy(lookAtWorker).catch(haproxyFailed);
      await exclusive(() => context.configCopy.refresh());
    }
    context.pacer.disarm();
    await exclusive(() => Promise.resolve());
    context.pacer.disarm();
    readBack.forget();
    deletes.stop();
  };

  return { ready: () => ready, state, apply, storePlan, announceSoftStop, run };
}

/** What a task gives before it has ended. */
function answered<T>(task: (early: (value: T) => void) => Promise<void>): Promise<T> {
  return new Promise((resolve, reject) => void task(resolve).catch(reject));
}
