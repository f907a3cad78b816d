import type { DeliveryReport } from '../protocol/delivery-report.ts';
import type { HaproxyPod } from '../protocol/pod.ts';

/** Which plans pods run, as far as deliveries tell. */
export interface RunningPlans {
  readonly note: (report: DeliveryReport) => void;
  /** Forgets pods that are none of these. */
  readonly keep: (pods: readonly HaproxyPod[]) => void;
  readonly ids: () => ReadonlySet<string>;
}

/** A pod runs what it acknowledged last; a plan whose reload is still to come is not run yet, the former one is. */
export function createRunningPlans(): RunningPlans {
  const byPod = new Map<string, string>();
  return {
    note(report) {
      if (report.kind === 'acked' && report.mode !== 'scheduled') byPod.set(report.pod.key, report.planId);
    },
    keep(pods) {
      if (byPod.size === 0) return;
      const keys = new Set(pods.map(({ key }) => key));
      for (const key of byPod.keys()) if (!keys.has(key)) byPod.delete(key);
    },
    ids: () => new Set(byPod.values()),
  };
}
