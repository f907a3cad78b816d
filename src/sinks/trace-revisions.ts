import { type Observable, asyncScheduler, concatMap, from, map, merge } from 'rxjs';
import type { LatchVerdict } from '../gate/latch.ts';
import type { Bundle } from '../protocol/bundle.ts';
import type { DeliveryReport } from '../protocol/delivery-report.ts';
import type { RenderOutcome } from '../protocol/render-outcome.ts';
import type { TraceDelivery, TraceEvent, TraceRevision } from '../protocol/trace-event.ts';
import type { DeploymentProgress } from './track-deployments.ts';

/** Objects of one watched resource that changed in one turn. */
export interface TurnChanges {
  readonly resource: string;
  readonly count: number;
  /** The first of them: `+` new, `-` gone, `~` changed, and the key. */
  readonly objects: readonly string[];
}

export interface TraceInputs {
  /** Something arrived of a watched resource and is not rendered yet; before it is debounced. */
  readonly arrival$: Observable<unknown>;
  readonly change$: Observable<TurnChanges>;
  readonly render$: Observable<RenderOutcome>;
  /** Of renders, not of trials. */
  readonly verdict$: Observable<LatchVerdict>;
  readonly delivery$: Observable<DeliveryReport>;
  readonly deployment$: Observable<Pick<DeploymentProgress, 'planId' | 'pods' | 'converged'>>;
  /** Of the ids: no two processes have the same. */
  readonly prefix: string;
}

type Input =
  | { readonly kind: 'arrival' }
  | { readonly kind: 'changes'; readonly changes: TurnChanges }
  | { readonly kind: 'render'; readonly outcome: RenderOutcome }
  | { readonly kind: 'verdict'; readonly verdict: LatchVerdict }
  | { readonly kind: 'delivery'; readonly report: DeliveryReport }
  | {
      readonly kind: 'deployment';
      readonly progress: Pick<DeploymentProgress, 'planId' | 'pods' | 'converged'>;
    };

/** What led to a render. */
interface Origin {
  readonly id: string;
  /** When the first change arrived, milliseconds; undefined: it was no change of an object. */
  since: number | undefined;
  readonly trigger: Map<string, number>;
  readonly objects: string[];
}

/** A render on its way. */
interface Revision extends Origin {
  readonly planId: string;
  readonly revision: number;
  readonly renderedAt: number;
  readonly renderMs: number;
  renders: number;
  accepted?: { readonly afterMs: number };
  complete: boolean;
  isTold: boolean;
  readonly pods: Map<string, TraceDelivery>;
}

const mostObjects = 10;
const mostRevisions = 64;
const mostPods = 1_024;

/**
 * Follows each change to the acknowledgement of every pod: see {@link TraceEvent}. A `revision` comes when every pod runs a render
 * that HAProxy accepted, once for each; renders that were overtaken on the way are counted with it.
 *
 * Loss policy: none for what is told; of revisions the newest 64 are followed. Never errors, never completes.
 */
export function traceRevisions(inputs: TraceInputs): Observable<TraceEvent> {
  return merge(
    inputs.arrival$.pipe(map((): Input => ({ kind: 'arrival' }))),
    inputs.change$.pipe(map((changes): Input => ({ kind: 'changes', changes }))),
    inputs.render$.pipe(map((outcome): Input => ({ kind: 'render', outcome }))),
    inputs.verdict$.pipe(map((verdict): Input => ({ kind: 'verdict', verdict }))),
    inputs.delivery$.pipe(map((report): Input => ({ kind: 'delivery', report }))),
    inputs.deployment$.pipe(map((progress): Input => ({ kind: 'deployment', progress }))),
  ).pipe(tracing(inputs.prefix));
}

function tracing(prefix: string) {
  return (input$: Observable<Input>): Observable<TraceEvent> => {
    let count = 0;
    const begin = (): Origin => ({
      id: `${prefix}-${++count}`,
      since: undefined,
      trigger: new Map(),
      objects: [],
    });
    let open = begin();
    let generation: object | 'none' | undefined = 'none';
    const revisions = new Map<string, Revision>();

    const step = (input: Input): readonly TraceEvent[] => {
      switch (input.kind) {
        case 'arrival':
          open.since ??= asyncScheduler.now();
          return [];
        case 'changes':
          return [noteChanges(open, input.changes)];
        case 'render': {
          const origin = open;
          open = begin();
          return input.outcome.kind === 'rejected'
            ? [{ type: 'rejected', id: origin.id, message: input.outcome.message }]
            : [noteRender(origin, input.outcome.bundle, input.outcome.tookMs)];
        }
        case 'verdict':
          return noteVerdict(input.verdict);
        case 'delivery':
          return noteDelivery(input.report);
        case 'deployment': {
          const { planId, pods, converged } = input.progress;
          const revision = revisions.get(planId);
          if (revision === undefined) return [];
          revision.complete = converged === pods;
          return told(revision);
        }
      }
    };

    const noteRender = (origin: Origin, bundle: Bundle, tookMs: number): TraceEvent => {
      const { plan, revision, provenance } = bundle;
      const changes = sumOf(origin.trigger);
      const isCold = provenance?.generation !== generation;
      generation = provenance?.generation;
      const renderedAt = asyncScheduler.now();
      const known = revisions.get(plan.id);
      if (known === undefined || known.isTold) {
        const { id, since, trigger, objects } = origin;
        revisions.delete(plan.id);
        revisions.set(plan.id, {
          ...{ id, since, trigger, objects },
          planId: plan.id,
          revision,
          renderedAt,
          renderMs: tookMs,
          renders: 1,
          ...(known?.accepted !== undefined && { accepted: { afterMs: 0 } }),
          // The same again: nothing of it is on its way.
          complete: known?.complete ?? false,
          isTold: known?.isTold ?? false,
          pods: known?.pods ?? new Map<string, TraceDelivery>(),
        });
        for (const planId of revisions.keys()) {
          if (revisions.size <= mostRevisions) break;
          revisions.delete(planId);
        }
      }
      return {
        type: 'render',
        id: origin.id,
        planId: plan.id,
        revision,
        tookMs,
        ...(origin.since !== undefined && { waitedMs: Math.max(0, renderedAt - tookMs - origin.since) }),
        cacheState: isCold ? 'cold' : known === undefined ? 'warm' : 'replay',
        changes,
      };
    };

    const noteVerdict = (verdict: LatchVerdict): TraceEvent[] => {
      const revision = revisions.get(verdict.planId);
      if (revision === undefined) return [];
      const afterMs = asyncScheduler.now() - revision.renderedAt;
      if (verdict.kind === 'accepted') revision.accepted ??= { afterMs };
      const { id, planId } = revision;
      const findings = verdict.findings?.length ?? 0;
      return [{ type: 'verdict', id, planId, verdict: verdict.kind, afterMs, findings }, ...told(revision)];
    };

    const noteDelivery = (report: DeliveryReport): TraceEvent[] => {
      const revision = revisions.get(report.planId);
      if (revision === undefined) return [];
      const isNews = report.kind === 'acked' && report.mode !== 'noop' && !revision.pods.has(report.pod.key);
      const event: TraceDelivery = {
        type: 'delivery',
        id: revision.id,
        planId: report.planId,
        pod: report.pod.key,
        mode: report.kind === 'acked' ? report.mode : report.kind,
        tookMs: report.tookMs,
        ...(isNews &&
          revision.since !== undefined && { sinceChangeMs: asyncScheduler.now() - revision.since }),
        ...(report.kind === 'acked' && { operations: report.operations }),
        reasons: report.kind === 'acked' ? report.reasons : report.kind === 'failed' ? [report.message] : [],
      };
      if (report.kind === 'acked' && revision.pods.size < mostPods) revision.pods.set(event.pod, event);
      return [event];
    };

    /** At once when it is whole: accepted, and run by every pod. */
    const told = (revision: Revision): TraceRevision[] => {
      if (revision.isTold || !revision.complete || revision.accepted === undefined) return [];
      revision.isTold = true;
      for (const [planId, former] of revisions) {
        if (planId === revision.planId) break;
        revisions.delete(planId);
        if (!former.isTold) overtake(revision, former);
      }
      return [summaryOf(revision, revision.accepted.afterMs)];
    };

    // Nothing waits: each step is done when it is called.
    return input$.pipe(concatMap((input) => from(step(input))));
  };
}

function noteChanges(origin: Origin, { resource, count, objects }: TurnChanges): TraceEvent {
  origin.trigger.set(resource, (origin.trigger.get(resource) ?? 0) + count);
  for (const object of objects) {
    if (origin.objects.length >= mostObjects) break;
    origin.objects.push(`${resource} ${object}`);
  }
  return { type: 'changes', id: origin.id, resource, count, objects: objects.slice(0, mostObjects) };
}

function overtake(revision: Revision, former: Revision): void {
  revision.renders += former.renders;
  if (former.since !== undefined) revision.since = Math.min(former.since, revision.since ?? Infinity);
  for (const [resource, count] of former.trigger)
    revision.trigger.set(resource, (revision.trigger.get(resource) ?? 0) + count);
  revision.objects.splice(mostObjects - former.objects.length);
  revision.objects.unshift(...former.objects);
}

function summaryOf(revision: Revision, gateMs: number): TraceRevision {
  const pods: Record<string, number> = {};
  const reloads = new Set<string>();
  let applyMs = 0;
  for (const { mode, tookMs, reasons } of revision.pods.values()) {
    pods[mode] = (pods[mode] ?? 0) + 1;
    applyMs = Math.max(applyMs, tookMs);
    for (const reason of reasons) if (reloads.size < mostObjects) reloads.add(reason);
  }
  const { id, planId, since, renders, renderMs } = revision;
  return {
    type: 'revision',
    id,
    planId,
    revision: revision.revision,
    trigger: Object.fromEntries(revision.trigger),
    objects: [...revision.objects],
    renders,
    renderMs,
    gateMs,
    applyMs,
    ...(since !== undefined && { totalMs: asyncScheduler.now() - since }),
    pods,
    reloads: [...reloads],
  };
}

function sumOf(trigger: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const count of trigger.values()) sum += count;
  return sum;
}
