import { type Observable, distinctUntilChanged, map, merge, scan } from 'rxjs';
import { emptyOrderedMap, type OrderedMap } from '../lib/ordered-map.ts';
import type { Bundle } from '../protocol/bundle.ts';
import type { StatusPatch } from '../protocol/declared.ts';
import type { DeliveryReport } from '../protocol/delivery-report.ts';
import { authorityOf, type HaproxyPod } from '../protocol/pod.ts';

export interface DeployedInputs {
  /** Every render, also one that declares something else with the same content. */
  readonly bundle$: Observable<Bundle>;
  readonly fleet$: Observable<readonly HaproxyPod[]>;
  readonly delivery$: Observable<DeliveryReport>;
  /** Renders that may still be acknowledged, beside those that pods run. Default: 64. */
  readonly awaiting?: number;
}

/** What the fleet runs, in terms of statuses. */
export interface DeployedStatuses {
  /** Declared by the oldest render that a pod runs: every pod runs it, or a later one. Undefined: it is not known of every pod. */
  readonly patches: OrderedMap<StatusPatch> | undefined;
  /** A pod has refused what it was given last. */
  readonly isRejected: boolean;
}

/** Versions share what did not change, and pods that reload acknowledge a render when many later ones are there. */
const manyRenders = 64;
const none: OrderedMap<StatusPatch> = emptyOrderedMap();

interface Render {
  /** Order of arrival. */
  readonly order: number;
  readonly patches: OrderedMap<StatusPatch>;
}

interface Fleet {
  order: number;
  /** By plan, those that were seen last at the end. */
  readonly renders: Map<string, Render>;
  pods: ReadonlySet<string>;
  /** Plans that pods run, by authority. */
  readonly running: Map<string, string>;
  readonly rejecting: Set<string>;
}

/**
 * Which statuses hold because every pod runs what they were declared with. While renders follow each other faster than pods reload, no
 * render may ever be run by all of them; so it is the oldest that counts.
 *
 * Loss policy: none. Emits when something changed; never errors, never completes.
 */
export function deployedStatuses({
  bundle$,
  fleet$,
  delivery$,
  awaiting = manyRenders,
}: DeployedInputs): Observable<DeployedStatuses> {
  const fresh = (): Fleet => ({
    order: 0,
    renders: new Map(),
    pods: new Set(),
    running: new Map(),
    rejecting: new Set(),
  });
  return merge(
    fleet$.pipe(map((pods) => (fleet: Fleet) => keepPods(fleet, pods))),
    bundle$.pipe(map((bundle) => (fleet: Fleet) => addRender(fleet, bundle, awaiting))),
    delivery$.pipe(map((report) => (fleet: Fleet) => noteReport(fleet, report))),
  ).pipe(
    scan((fleet, note) => {
      note(fleet);
      return fleet;
    }, fresh()),
    map(deployedIn),
    distinctUntilChanged((a, b) => a.patches === b.patches && a.isRejected === b.isRejected),
  );
}

function keepPods(fleet: Fleet, pods: readonly HaproxyPod[]): void {
  fleet.pods = new Set(pods.map(authorityOf));
  for (const authority of [...fleet.running.keys(), ...fleet.rejecting])
    if (!fleet.pods.has(authority)) {
      fleet.running.delete(authority);
      fleet.rejecting.delete(authority);
    }
}

function addRender(fleet: Fleet, { plan, statusPatches = none }: Bundle, awaiting: number): void {
  const { renders } = fleet;
  fleet.order += 1;
  renders.delete(plan.id);
  renders.set(plan.id, { order: fleet.order, patches: statusPatches });
  const run = new Set(fleet.running.values());
  const idle = [...renders.keys()].filter((id) => !run.has(id));
  for (const id of idle.slice(0, Math.max(0, idle.length - awaiting))) renders.delete(id);
}

function noteReport(fleet: Fleet, report: DeliveryReport): void {
  const authority = authorityOf(report.pod);
  if (!fleet.pods.has(authority)) return;
  if (report.kind === 'failed') {
    if (report.stage === 'rejected') fleet.rejecting.add(authority);
    return;
  }
  if (report.kind === 'reverted') {
    fleet.running.set(authority, report.lkgPlanId);
    return;
  }
  fleet.rejecting.delete(authority);
  // With a scheduled reload it goes on with what it ran.
  if (report.converged) fleet.running.set(authority, report.planId);
}

function deployedIn({ pods, running, renders, rejecting }: Fleet): DeployedStatuses {
  let oldest: Render | undefined;
  for (const authority of pods) {
    const render = renders.get(running.get(authority) ?? '');
    if (render === undefined) return { patches: undefined, isRejected: rejecting.size > 0 };
    if (oldest === undefined || render.order < oldest.order) oldest = render;
  }
  return { patches: oldest?.patches, isRejected: rejecting.size > 0 };
}
