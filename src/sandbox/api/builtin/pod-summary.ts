import type { ApiObject } from '../api-object.ts';
import { getIn, isRecord, listOf, textOf } from '../json.ts';

/** What `kubectl get pods` says of a Pod. */
export interface PodSummary {
  readonly ready: string;
  readonly status: string;
  readonly restarts: number;
}

/** Sums a Pod up as kube-apiserver's printer does: ready containers, the reason that matters most, restarts. */
export function summarizePod(pod: ApiObject): PodSummary {
  const containers = listOf(getIn(pod, ['spec', 'containers']));
  const statuses = listOf(getIn(pod, ['status', 'containerStatuses'])).filter(isRecord);
  const ready = statuses.filter((status) => status['ready'] === true).length;
  const restarts = statuses.reduce((sum, status) => sum + Number(status['restartCount'] ?? 0), 0);
  let reason =
    textOf(getIn(pod, ['status', 'reason'])) || textOf(getIn(pod, ['status', 'phase'])) || 'Unknown';
  for (const status of statuses) {
    const waiting = textOf(getIn(status, ['state', 'waiting', 'reason']));
    const terminated = textOf(getIn(status, ['state', 'terminated', 'reason']));
    if (waiting !== '') reason = waiting;
    else if (terminated !== '') reason = terminated;
  }
  if (pod.metadata.deletionTimestamp !== undefined) reason = 'Terminating';
  return { ready: `${ready}/${containers.length}`, status: reason, restarts };
}
