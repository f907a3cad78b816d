import { Subscription, distinctUntilChanged, firstValueFrom, map, share, tap } from 'rxjs';
import type { TemplateConfig } from '../../api/template-config.ts';
import { retainedObjects } from '../../kube/retained-objects.ts';
import type { Checkpoint } from '../../kube/retained-object.ts';
import { parseDuration } from '../../lib/duration.ts';
import { abortable } from '../../operators/abortable.ts';
import { buildApply } from '../../plan/build-apply.ts';
import type { DeliveryAcked } from '../../protocol/delivery-report.ts';
import type { Plan } from '../../protocol/plan.ts';
import { podNameOf } from '../../sinks/publish/deployed-pods.ts';
import { publishedNames } from '../../sinks/publish/published-names.ts';
import { configChecksum } from '../../sinks/retained/config-checksum.ts';
import { followIntent } from '../../sinks/retained/follow-intent.ts';
import {
  type CheckpointEffects,
  type CheckpointReport,
  keepCheckpoints,
} from '../../sinks/retained/keep-checkpoints.ts';
import { keptOfTerm } from '../../sinks/retained/kept-of-term.ts';
import { makeCheckpoint } from '../../sinks/retained/make-checkpoint.ts';
import { recordRetained } from '../../sinks/retained/record-retained.ts';
import { type RecoveryEffects, recoverRetained } from '../../sinks/retained/recover-retained.ts';
import type { RecoveryState } from '../../sinks/retained/recovery-state.ts';
import { decodeArchive } from '../../sinks/retained/retained-archive.ts';
import { createRetainedMetrics } from '../../sinks/retained/retained-metrics.ts';
import type { ControllerPart, ControllerRuntime } from '../../world/controller-runtime.ts';

const timing = {
  intent: 1_000,
  checkpoints: { settle: 2_000, resync: 300_000, retry: { min: 5_000, max: 300_000 } },
  recovery: { patience: 5_000, retry: 5_000 },
};
const receipts = 64;

/** Keeps renders for a time when none can be made, and gives them to new HAProxy pods then. Only the leader does. */
export const retainedPart: ControllerPart = (runtime) => {
  const { identity, pipeline, found$, leadership$, world$, retained, registry, taps, vars, log, onFatal } =
    runtime;
  const names = publishedNames(identity.name);
  const objects = retainedObjects(runtime.leaderTransport, identity);
  const leader$ = leadership$.pipe(
    map(({ kind }) => kind === 'leading'),
    distinctUntilChanged(),
  );
  const enabled$ = world$.pipe(
    map(({ config }) => config.controller.configPublishing.enabled),
    distinctUntilChanged(),
  );
  vars['retained'] = () => ({ recovery: retained.recovery.value, kept: retained.kept.value });

  const running = new Subscription();
  running.add(
    followIntent({
      latch$: pipeline.latch$,
      leadership$,
      checksum: (plan) => abortable(() => configChecksum(plan)),
      pause: timing.intent,
    }).subscribe({ next: retained.intent.want, error: onFatal }),
  );
  const report$ = keepCheckpoints(
    { leader$, enabled$, latch$: pipeline.latch$, delivery$: pipeline.delivery$, fleet$: found$ },
    checkpointEffects(runtime, objects, names.main),
    { ...timing.checkpoints, interval: () => intervalOf(runtime.current()?.config) },
  ).pipe(
    taps.point<CheckpointReport>('checkpoints', (report) => report),
    share(),
  );
  running.add(
    keptOfTerm(leader$, report$).subscribe({
      next: (configs) => retained.kept.next(configs),
      error: onFatal,
    }),
  );
  const recovery$ = recoverRetained(
    { leader$, own$: retained.own$, fleet$: found$ },
    recoveryEffects(runtime, objects, names.main),
    timing.recovery,
  ).pipe(
    taps.point<RecoveryState>('recovery', (state) => state),
    tap((state) => retained.recovery.next(state)),
  );
  running.add(recordRetained({ report$, recovery$ }, createRetainedMetrics(registry), log, onFatal));
  return running;
};

function intervalOf(config: Pick<TemplateConfig, 'dataplane'> | undefined): number {
  const field = 'dataplane.configPublishInterval';
  return config === undefined ? 0 : parseDuration(config.dataplane.configPublishInterval, field);
}

function checkpointEffects(
  { identity, retained, current }: ControllerRuntime,
  objects: ReturnType<typeof retainedObjects>,
  main: string,
): CheckpointEffects {
  const checkpointOf = async (
    plan: Plan,
    reports: readonly DeliveryAcked[],
    signal: AbortSignal,
  ): Promise<Checkpoint | undefined> => {
    const config = current()?.config;
    const blob = await firstValueFrom(retained.encode(plan));
    if (config === undefined || blob === undefined) return undefined;
    signal.throwIfAborted();
    const { podSelector, dataplane, controller } = config;
    return makeCheckpoint(plan, blob, {
      path: dataplane.configFile,
      compressionThreshold: controller.configPublishing.compressionThreshold,
      matchLabels: podSelector.matchLabels,
      port: dataplane.port,
      deliveredTo: reports.slice(0, receipts).map(({ pod, mode }) => ({
        podName: podNameOf(pod.key, identity.namespace),
        podUID: pod.uid,
        podRuntimeID: pod.containerId,
        mode,
      })),
      signal,
    });
  };
  return {
    stock: (isFirst) => abortable((signal) => objects.stock(main, isFirst, signal)),
    write: (plan, reports) =>
      abortable(async (signal) => {
        const checkpoint = await checkpointOf(plan, reports, signal);
        if (checkpoint === undefined) return undefined;
        return { config: await objects.write(checkpoint, signal), parts: checkpoint.parts.length };
      }),
    remove: (surplus) => abortable((signal) => objects.remove(surplus, signal)),
  };
}

function recoveryEffects(
  { retained }: ControllerRuntime,
  objects: ReturnType<typeof retainedObjects>,
  main: string,
): RecoveryEffects {
  const { client, epoch, intent, selection } = retained;
  let sequence = 0;
  return {
    intent: intent.read,
    retained: () => abortable((signal) => objects.promoted(main, signal)),
    read: (config) =>
      abortable(async (signal) => {
        const { spec, bytes } = await objects.read(config, signal);
        const { planID: planId, checksum } = config;
        const render = await decodeArchive(bytes, { planId, checksum });
        const { matchLabels = {}, port } = spec;
        if (port !== undefined) selection.next({ matchLabels, port });
        return render;
      }),
    state: (pod) => client.state(pod, { verify: true }),
    check: retained.check,
    apply: (pod, state, { plan, blob }) => {
      retained.forget(pod);
      const request = buildApply({
        plan,
        decision: { mode: 'reload', batches: [] },
        roles: state,
        appliedToken: state.applied_token,
        token: { leader_epoch: epoch.current(), render_seq: ++sequence },
        held: (path) => state.files[path],
        features: state.features,
        ...(blob && { planBlob: blob }),
      });
      return client.apply(pod, request, epoch.isHeld);
    },
  };
}
