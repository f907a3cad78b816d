import { LRUCache } from 'lru-cache';
import { type Observable, map, tap } from 'rxjs';
import type { TemplateConfig } from '../../api/template-config.ts';
import type { QuarantineState } from '../../gate/quarantine-state.ts';
import { hideForeignLines } from '../../gate/hide-foreign-lines.ts';
import type { Verdict } from '../../gate/verdict.ts';
import { parseDuration } from '../../lib/duration.ts';
import type { Slots } from '../../operators/create-slots.ts';
import { type Pipeline, type PipelineDeps, createPipeline } from '../../pipeline.ts';
import type { DeliveryReport } from '../../protocol/delivery-report.ts';
import type { Plan } from '../../protocol/plan.ts';
import type { HeldObjects } from '../../protocol/provenance.ts';
import type { RenderOutcome } from '../../protocol/render-outcome.ts';
import type { PlanBlobs } from '../../sinks/plan-blobs.ts';
import type { PlanCache } from '../../sinks/plan-cache.ts';
import type { PodBook } from '../../sinks/pod-book.ts';
import { createDelivery } from '../../sinks/deliver.ts';
import type { ControllerRuntime } from '../../world/controller-runtime.ts';
import type { LiveWorld } from '../../world/open-world.ts';
import { worldSlices } from '../../world/world-slices.ts';
import type { ControllerDeps } from './controller-deps.ts';
import type { ElectedLeader } from './elect-leader.ts';
import { controllerTiming as timing } from './controller-timing.ts';
import type { FollowedPods } from './follow-pods.ts';

export interface ControllerPipelineDeps {
  readonly controller: Pick<ControllerDeps, 'client'>;
  readonly runtime: Pick<ControllerRuntime, 'taps' | 'log'>;
  readonly world$: Observable<LiveWorld>;
  readonly changes: (world: LiveWorld) => Observable<LiveWorld>;
  readonly render: (world: LiveWorld, held: HeldObjects) => Observable<RenderOutcome>;
  readonly check: (plan: Plan) => Observable<Verdict>;
  readonly adopt: (generation: object) => QuarantineState | undefined;
  readonly pods: FollowedPods;
  readonly plans: PlanCache;
  readonly book: PodBook;
  readonly blobs: PlanBlobs;
  /** Asked whenever a time is needed: configurations come and go. */
  readonly duration: (field: DurationField) => number;
  /** Takes values of Secrets out of words of HAProxy. */
  readonly hide: (texts: readonly string[]) => readonly string[];
  /** Of deliveries. */
  readonly slots: Slots;
  readonly leader: Pick<ElectedLeader, 'leadership$' | 'epoch'>;
}

export type DurationField = 'syncTimeout' | 'deploymentTimeout' | 'driftPreventionInterval';

/** Milliseconds of a configuration's time; 0 without one. */
export function durationOf(config: Pick<TemplateConfig, 'dataplane'> | undefined, field: DurationField) {
  return config === undefined ? 0 : parseDuration(config.dataplane[field], `dataplane.${field}`);
}

/** Puts the real effects under the pipeline. */
export function createControllerPipeline(deps: ControllerPipelineDeps): Pipeline<Verdict> {
  const { pods, plans, book, duration } = deps;
  const { taps, log } = deps.runtime;
  const { client } = deps.controller;
  const acceptedIds = new LRUCache<string, true>({ max: timing.rememberedAcceptances });
  return createPipeline<LiveWorld, Verdict>({
    config$: deps.world$.pipe(taps.point('config', ({ config }) => config)),
    changes: deps.changes,
    render: deps.render,
    check: (plan) =>
      deps.check(plan).pipe(
        tap((verdict) => {
          if (verdict.kind === 'accepted') acceptedIds.set(verdict.planId, true);
        }),
      ),
    adopt: deps.adopt,
    recall: () =>
      pods
        .recall()
        .pipe(
          tap((kept) =>
            log.info(
              { outputs: kept?.outputs.size ?? 0 },
              'pods were asked for what HAProxy had accepted before this process',
            ),
          ),
        ),
    fleet$: pods.fleet$,
    leaving$: pods.leaving$,
    leadership$: deps.leader.leadership$,
    deliver: withoutSecrets(
      deps.hide,
      createDelivery({
        client,
        epoch: deps.leader.epoch,
        plans,
        book,
        readPod: pods.readPod,
        isAccepted: (planId) => acceptedIds.has(planId),
        blobOf: (plan) => deps.blobs.peek(plan),
        slots: deps.slots,
        slices: worldSlices,
        random: Math.random,
        timing: {
          retry: timing.deliveryRetry,
          driftSpread: timing.driftSpread,
          observeInterval: timing.observeInterval,
          get syncTimeout() {
            return duration('syncTimeout');
          },
          get deploymentTimeout() {
            return duration('deploymentTimeout');
          },
          get driftInterval() {
            return duration('driftPreventionInterval');
          },
        },
      }),
    ),
    taps,
    timing: timing.pipeline,
  });
}

type Deliver = PipelineDeps<LiveWorld, Verdict>['deliver'];

/** A pod's HAProxy repeats what it does not understand, as the check does; so may an agent. */
function withoutSecrets(hide: ControllerPipelineDeps['hide'], deliver: Deliver): Deliver {
  const shown = (report: DeliveryReport): DeliveryReport =>
    report.kind === 'failed' && (report.stage === 'rejected' || report.stage === 'refused')
      ? { ...report, message: hide([hideForeignLines(report.message)])[0] ?? '' }
      : report;
  return (target, newer$) => deliver(target, newer$).pipe(map(shown));
}
