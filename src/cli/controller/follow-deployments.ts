import { type Observable, ReplaySubject, filter, map, share } from 'rxjs';
import type { Verdict } from '../../gate/verdict.ts';
import type { Taps } from '../../operators/taps.ts';
import type { Pipeline } from '../../pipeline.ts';
import type { HaproxyPod } from '../../protocol/pod.ts';
import { type DeploymentProgress, trackDeployments } from '../../sinks/track-deployments.ts';

export interface FollowDeploymentsDeps {
  readonly pipeline: Pick<Pipeline<Verdict>, 'latch$' | 'delivery$'>;
  readonly fleet$: Observable<readonly HaproxyPod[]>;
  /** Milliseconds after which a render that has not reached every pod is overdue; asked for each. */
  readonly deploymentTimeout: () => number;
  readonly taps: Taps;
}

/** How far the render that is out has come in the fleet. Shared; late subscribers get where it stands. */
export function followDeployments({
  pipeline,
  fleet$,
  deploymentTimeout,
  taps,
}: FollowDeploymentsDeps): Observable<DeploymentProgress> {
  return trackDeployments({
    released$: pipeline.latch$.pipe(
      map(({ released }) => released),
      filter((bundle) => bundle !== undefined),
    ),
    fleet$,
    delivery$: pipeline.delivery$,
    get overdueAfter() {
      return deploymentTimeout();
    },
  }).pipe(
    taps.point('deployments', (progress) => progress),
    share({ connector: () => new ReplaySubject(1), resetOnRefCountZero: true }),
  );
}
