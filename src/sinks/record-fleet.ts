import type { Observable, Subscription } from 'rxjs';
import type { Fleet } from '../protocol/fleet.ts';
import { authorityOf } from '../protocol/pod.ts';
import type { PipelineLogger } from './log-pipeline.ts';
import type { Metrics } from './metrics.ts';

/**
 * Tells in the log and in the metrics which pods join and leave the fleet, and which cannot be delivered to and why: once per
 * change. Ends when unsubscribed; the stream's error is for `onError`: it is a bug.
 */
export function recordFleet(
  fleet$: Observable<Fleet>,
  metrics: Pick<Metrics, 'podsRejected'>,
  log: Pick<PipelineLogger, 'info' | 'warn'>,
  onError: (error: unknown) => void,
): Subscription {
  let members = new Map<string, string>();
  let reasons = new Map<string, string>();

  return fleet$.subscribe({
    next: ({ pods, rejected }) => {
      const now = new Map(pods.map((pod) => [authorityOf(pod), pod.key]));
      for (const [authority, pod] of now)
        if (!members.has(authority)) log.info({ pod }, 'pod joined the fleet');
      for (const [authority, pod] of members)
        if (!now.has(authority)) log.info({ pod }, 'pod left the fleet');
      members = now;
      for (const { key: pod, reason, message } of rejected)
        if (reasons.get(pod) !== reason) {
          metrics.podsRejected.inc({ reason });
          const detail = message === undefined ? {} : { detail: message };
          log.warn({ pod, reason, ...detail }, 'pod cannot be delivered to');
        }
      reasons = new Map(rejected.map(({ key, reason }) => [key, reason]));
    },
    error: onError,
  });
}
