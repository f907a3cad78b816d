import { type Observable, ReplaySubject, map, of, share, switchMap } from 'rxjs';
import type { Verdict } from '../../gate/verdict.ts';
import type { Taps } from '../../operators/taps.ts';
import type { Pipeline } from '../../pipeline.ts';
import type { Leadership } from '../../protocol/leadership.ts';
import type { HaproxyPod } from '../../protocol/pod.ts';
import { type DeploymentProgress, trackDeployments } from '../../sinks/track-deployments.ts';

export interface FollowDeploymentsDeps {
  readonly pipeline: Pick<Pipeline<Verdict>, 'latch$' | 'delivery$'>;
  readonly fleet$: Observable<readonly HaproxyPod[]>;
  readonly leadership$: Observable<Leadership>;
  /** Milliseconds after which a render that has not reached every pod is overdue; asked for each. */
  readonly deploymentTimeout: () => number;
  readonly taps: Taps;
}

/** How far the render that this process lets out has come in the fleet; of a standby, nothing. Shared; late subscribers get where it stands. */
export function followDeployments({
  pipeline,
  fleet$,
  leadership$,
  deploymentTimeout,
  taps,
}: FollowDeploymentsDeps): Observable<DeploymentProgress> {
  return trackDeployments({
    released$: leadership$.pipe(
      // A source, not work.
      switchMap(({ kind }) =>
        kind === 'leading' ? pipeline.latch$.pipe(map(({ released }) => released)) : of(undefined),
      ),
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
