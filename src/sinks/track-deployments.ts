import {
  EMPTY,
  type Observable,
  asyncScheduler,
  distinctUntilChanged,
  filter,
  map,
  merge,
  scan,
  share,
  switchMap,
  timer,
} from 'rxjs';
import type { Bundle } from '../protocol/bundle.ts';
import type { DeliveryReport } from '../protocol/delivery-report.ts';
import { authorityOf, type HaproxyPod } from '../protocol/pod.ts';

export interface DeploymentInputs {
  /** The render that is let out; undefined: none, and what was let out before is no concern of this process any more. */
  readonly released$: Observable<Bundle | undefined>;
  readonly fleet$: Observable<readonly HaproxyPod[]>;
  readonly delivery$: Observable<DeliveryReport>;
  /** Milliseconds after which a render that not every pod runs is overdue; 0: never. */
  readonly overdueAfter: number;
}

/** How far one render has come in the fleet. */
export interface DeploymentProgress {
  readonly planId: string;
  readonly revision: number;
  /** Milliseconds of the scheduler's clock. */
  readonly startedAt: number;
  readonly tookMs: number;
  readonly pods: number;
  /** Pods that run it. */
  readonly converged: number;
  /** Keys of pods that hold it and wait for a reload: neither converged nor failed. */
  readonly pending: readonly string[];
  /** Keys of pods whose last attempt failed. */
  readonly failed: readonly string[];
  /** It took longer than it may, and is still going on: some pod is in trouble. */
  readonly overdue: boolean;
}

type Input =
  | { readonly kind: 'released'; readonly bundle: Bundle | undefined }
  | { readonly kind: 'fleet'; readonly pods: readonly HaproxyPod[] }
  | { readonly kind: 'report'; readonly report: DeliveryReport }
  | { readonly kind: 'overdue'; readonly planId: string };

type PodStatus = 'converged' | 'pending' | 'failed';

interface Tracked {
  readonly bundle?: Bundle;
  readonly startedAt: number;
  readonly overdue: boolean;
  readonly pods: ReadonlyMap<string, HaproxyPod>;
  /** By authority; of the released render only. */
  readonly status: Map<string, PodStatus>;
}

/**
 * The fleet as a whole, seen from the reports of single pods: which share of it runs the render that is out. There is no wave that
 * begins and ends, so this is bookkeeping; nothing waits for it.
 *
 * Emits after every input that may have changed it, once a render is out. Loss policy: none. Never errors, never completes.
 */
export function trackDeployments(inputs: DeploymentInputs): Observable<DeploymentProgress> {
  const released$ = inputs.released$.pipe(
    distinctUntilChanged((a, b) => a?.plan.id === b?.plan.id),
    share(),
  );
  return merge(
    inputs.fleet$.pipe(map((pods): Input => ({ kind: 'fleet', pods }))),
    released$.pipe(map((bundle): Input => ({ kind: 'released', bundle }))),
    inputs.delivery$.pipe(map((report): Input => ({ kind: 'report', report }))),
    // Not work: the clock of the former render is of no interest any more.
    released$.pipe(
      switchMap((bundle) =>
        bundle === undefined || inputs.overdueAfter === 0
          ? EMPTY
          : timer(inputs.overdueAfter).pipe(map((): Input => ({ kind: 'overdue', planId: bundle.plan.id }))),
      ),
    ),
  ).pipe(
    scan(step, { startedAt: 0, overdue: false, pods: new Map(), status: new Map() } as Tracked),
    map(progressOf),
    filter((progress) => progress !== undefined),
    distinctUntilChanged(isSameProgress),
  );
}

function step(tracked: Tracked, input: Input): Tracked {
  switch (input.kind) {
    case 'released': {
      const { bundle: _former, ...rest } = tracked;
      return {
        ...rest,
        ...(input.bundle === undefined ? {} : { bundle: input.bundle }),
        startedAt: asyncScheduler.now(),
        overdue: false,
        status: new Map(),
      };
    }
    case 'fleet': {
      const pods = new Map(input.pods.map((pod) => [authorityOf(pod), pod]));
      for (const authority of tracked.status.keys())
        if (!pods.has(authority)) tracked.status.delete(authority);
      return { ...tracked, pods };
    }
    case 'report': {
      const authority = authorityOf(input.report.pod);
      const status = statusOf(input.report, tracked.bundle?.plan.id);
      if (status !== undefined && tracked.pods.has(authority)) tracked.status.set(authority, status);
      return tracked;
    }
    case 'overdue':
      return { ...tracked, overdue: input.planId === tracked.bundle?.plan.id };
  }
}

/** A report about another render says nothing about this one. */
function statusOf(report: DeliveryReport, planId: string | undefined): PodStatus | undefined {
  if (report.planId !== planId) return undefined;
  if (report.kind !== 'acked') return 'failed';
  return report.converged ? 'converged' : 'pending';
}

function progressOf({ bundle, startedAt, overdue, pods, status }: Tracked): DeploymentProgress | undefined {
  if (bundle === undefined) return undefined;
  const keysIn = (wanted: PodStatus) =>
    [...status].flatMap(([authority, is]) => (is === wanted ? [pods.get(authority)?.key ?? ''] : []));
  const converged = [...status.values()].filter((is) => is === 'converged').length;
  return {
    planId: bundle.plan.id,
    revision: bundle.revision,
    startedAt,
    tookMs: asyncScheduler.now() - startedAt,
    pods: pods.size,
    converged,
    pending: keysIn('pending'),
    failed: keysIn('failed'),
    overdue: overdue && converged < pods.size,
  };
}

function isSameProgress(a: DeploymentProgress, b: DeploymentProgress): boolean {
  return (
    a.planId === b.planId &&
    a.startedAt === b.startedAt &&
    a.pods === b.pods &&
    a.converged === b.converged &&
    a.overdue === b.overdue &&
    a.pending.join() === b.pending.join() &&
    a.failed.join() === b.failed.join()
  );
}
