import { isRecord } from '../../lib/is-record.ts';
import type { DeliveryReport } from '../../protocol/delivery-report.ts';
import type { Fleet } from '../../protocol/fleet.ts';
import { type DeployedPod, type DeployedPods, inFewWords, podNameOf, withReport } from './deployed-pods.ts';

/** What is told of the pods during one term. */
export interface PodEntries {
  /** Takes a report in; true if it tells something new. Before `seed` it waits. */
  readonly note: (report: DeliveryReport, now: string) => boolean;
  /** What the former leader told, once. */
  readonly seed: (deployedToPods: unknown) => void;
  /** Lets go of pods that are not there any more. */
  readonly keep: (fleet: Fleet) => void;
  /** By name; in few words where there are too many. `checksumOf` a plan's haproxy.cfg, where that is known. */
  readonly list: (checksumOf: (planId: string) => string | undefined) => readonly DeployedPod[];
}

/** Characters: the object has to hold haproxy.cfg too. */
const most = 200_000;

export function podEntries(namespace: string): PodEntries {
  let pods: DeployedPods = new Map();
  let isSeeded = false;
  const waiting: { readonly report: DeliveryReport; readonly now: string }[] = [];

  const take = (report: DeliveryReport, now: string): boolean => {
    const before = pods;
    pods = withReport(pods, podNameOf(report.pod.key, namespace), report, now);
    return pods !== before;
  };

  return {
    note: (report, now) => {
      if (isSeeded) return take(report, now);
      waiting.push({ report, now });
      return false;
    },
    seed: (deployedToPods) => {
      if (isSeeded) return;
      isSeeded = true;
      const known = Array.isArray(deployedToPods) ? deployedToPods.filter(isDeployedPod) : [];
      pods = new Map(known.map((pod) => [pod.podName, pod]));
      for (const { report, now } of waiting.splice(0)) take(report, now);
    },
    keep: (fleet) => {
      const uids = new Map<string, string | undefined>();
      for (const { key } of fleet.rejected) uids.set(podNameOf(key, namespace), undefined);
      for (const { key, uid } of fleet.pods) uids.set(podNameOf(key, namespace), uid);
      const isThere = ({ podName, podUID }: DeployedPod): boolean =>
        uids.has(podName) && (uids.get(podName) ?? podUID) === podUID;
      if ([...pods.values()].every(isThere)) return;
      pods = new Map([...pods].filter(([, pod]) => isThere(pod)));
    },
    list: (checksumOf) => {
      const all = [...pods.values()]
        .sort((a, b) => (a.podName < b.podName ? -1 : 1))
        .map((pod) => {
          const checksum = pod.appliedPlanID === undefined ? undefined : checksumOf(pod.appliedPlanID);
          return checksum === undefined ? pod : { ...pod, checksum };
        });
      return JSON.stringify(all).length > most ? all.map(inFewWords) : all;
    },
  };
}

function isDeployedPod(value: unknown): value is DeployedPod {
  return isRecord(value) && typeof value['podName'] === 'string';
}
