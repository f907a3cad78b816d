import type { DeliveryReport } from '../protocol/delivery-report.ts';
import { authorityOf, type HaproxyPod } from '../protocol/pod.ts';

/** Which plans pods run, as far as deliveries tell. */
export interface RunningPlans {
  readonly note: (report: DeliveryReport) => void;
  /** Forgets pods that are none of these. */
  readonly keep: (pods: readonly HaproxyPod[]) => void;
  readonly ids: () => ReadonlySet<string>;
}

/**
 * A pod runs what it acknowledged last, or went back to; a plan whose reload is still to come is not run yet, the former one is. One
 * that was replaced under its name runs nothing that is known.
 */
export function createRunningPlans(): RunningPlans {
  const byPod = new Map<string, string>();
  return {
    note(report) {
      const pod = authorityOf(report.pod);
      if (report.kind === 'acked' && report.mode !== 'scheduled') byPod.set(pod, report.planId);
      if (report.kind === 'reverted') byPod.set(pod, report.lkgPlanId);
    },
    keep(pods) {
      if (byPod.size === 0) return;
      const present = new Set(pods.map(authorityOf));
      for (const pod of byPod.keys()) if (!present.has(pod)) byPod.delete(pod);
    },
    ids: () => new Set(byPod.values()),
  };
}
