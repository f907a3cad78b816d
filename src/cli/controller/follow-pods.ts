import type { Logger } from 'pino';
import { type Observable, ReplaySubject, distinctUntilChanged, map, share, switchMap } from 'rxjs';
import type { AgentClient } from '../../fleet/agent-client.ts';
import type { Taps } from '../../operators/taps.ts';
import { decodeOutputs } from '../../plan/decode-outputs.ts';
import { decodePlan } from '../../plan/decode-plan.ts';
import type { Fleet } from '../../protocol/fleet.ts';
import type { KeptOutputs } from '../../protocol/kept-outputs.ts';
import type { HaproxyPod } from '../../protocol/pod.ts';
import { softStopFeature } from '../../protocol/wire.ts';
import type { Metrics } from '../../sinks/metrics.ts';
import type { PlanCache } from '../../sinks/plan-cache.ts';
import type { PodBook } from '../../sinks/pod-book.ts';
import { createPodReader } from '../../sinks/read-pod.ts';
import { recallOutputs } from '../../sinks/recall-outputs.ts';
import { answeringPods } from '../../streams/answering-pods.ts';
import { type HaproxyPodsDeps, haproxyPods } from '../../streams/haproxy-pods.ts';
import type { PodSelection } from '../../world/retained-access.ts';
import { controllerTiming } from './controller-timing.ts';

export interface FollowPodsDeps {
  /** Where they are looked for; late subscribers get it at once. */
  readonly selection$: Observable<PodSelection>;
  /** Namespace of the HAProxy pods; all when absent. */
  readonly namespace?: string;
  readonly watch: HaproxyPodsDeps;
  readonly client: AgentClient;
  readonly plans: PlanCache;
  readonly book: PodBook;
  readonly metrics: Metrics;
  readonly taps: Taps;
  readonly log: Logger;
}

/** The HAProxy pods as the controller sees them. */
export interface FollowedPods {
  /** All that Kubernetes names. */
  readonly found$: Observable<Fleet>;
  /** Those whose agents have answered. */
  readonly members$: Observable<Fleet>;
  readonly fleet$: Observable<readonly HaproxyPod[]>;
  /** See {@link Fleet.leaving}; of those whose agents have answered. */
  readonly leaving$: Observable<readonly HaproxyPod[]>;
  readonly readPod: ReturnType<typeof createPodReader>;
  /** What HAProxy had accepted before this process, as far as pods know. */
  readonly recall: () => Observable<KeptOutputs | undefined>;
}

/** Finds the HAProxy pods and asks their agents for what they run. The streams are shared and never error. */
export function followPods(deps: FollowPodsDeps): FollowedPods {
  const { client, plans, book, log, metrics } = deps;
  const found$ = deps.selection$.pipe(
    distinctUntilChanged((a, b) => JSON.stringify(a) === JSON.stringify(b)),
    // A source: the pods of another selection take the place of these when they are known.
    switchMap(({ matchLabels: labels, port }) =>
      haproxyPods(deps.watch, {
        labels,
        port,
        ...(deps.namespace === undefined ? {} : { namespace: deps.namespace }),
      }),
    ),
    share({ connector: () => new ReplaySubject(1), resetOnRefCountZero: true }),
  );
  const readPod = createPodReader({
    client,
    plans,
    book,
    decodePlan: async (blob) => {
      const decoded = await decodePlan(blob);
      if (decoded.kind === 'decoded') return decoded.plan;
      log.warn({ reason: decoded.reason }, 'the plan that a pod keeps is of no use');
      return undefined;
    },
    onDivergence: ({ key: pod }, { maps, servers }) => {
      for (const name of maps) metrics.mapDivergences.inc({ map: name });
      log.error({ pod, maps, servers }, 'the worker was not what its files say, and was reloaded');
    },
  });
  const members$ = answeringPods(found$, {
    // What the pod says is where its first delivery starts from.
    probe: (pod) =>
      readPod(pod, { verify: true }).pipe(
        map(({ state }) => ({ refusesWhenEnding: state.features.includes(softStopFeature) })),
      ),
    retry: controllerTiming.probeRetry,
  }).pipe(
    deps.taps.point('pods', (fleet) => fleet),
    share({ connector: () => new ReplaySubject(1), resetOnRefCountZero: true }),
  );
  const recall = recallOutputs({
    found$,
    members$,
    client,
    tokenOf: (pod) => book.get(pod)?.state.applied_token,
    decodeOutputs,
    timing: controllerTiming.recall,
  });
  return {
    found$,
    members$,
    fleet$: members$.pipe(map(({ pods }) => pods)),
    leaving$: members$.pipe(map(({ leaving = [] }) => leaving)),
    readPod,
    recall,
  };
}
