import { authorityOf, type HaproxyPod } from './pod.ts';

/** The HAProxy pods as they were found. The lists are sorted by key; a pod that is over is in none. */
export interface Fleet {
  /** Those that can be delivered to. */
  readonly pods: readonly HaproxyPod[];
  /**
   * Those that end, and serve until they do: they get what the fleet gets for as long as they take it, and count for nothing. Absent:
   * none.
   */
  readonly leaving?: readonly HaproxyPod[];
  /** Those that cannot be delivered to, with the reason. */
  readonly rejected: readonly RejectedPod[];
}

export interface RejectedPod {
  /** `namespace/name` */
  readonly key: string;
  readonly reason: PodRejection;
  /** The agent's or the network's words. */
  readonly message?: string;
}

/**
 * - `no_address`: the pod has no IP yet.
 * - `agent_missing`: it has no container of the agent's name.
 * - `agent_not_running`: it has one that does not run.
 * - `agent_not_answering`: the agent runs, and does not tell what the pod holds.
 */
export type PodRejection = 'no_address' | 'agent_missing' | 'agent_not_running' | 'agent_not_answering';

export function isSameFleet(a: Fleet, b: Fleet): boolean {
  return (
    isSameList(a.pods, b.pods, authorityOf) &&
    isSameList(a.leaving ?? [], b.leaving ?? [], authorityOf) &&
    isSameList(a.rejected, b.rejected, ({ key, reason, message = '' }) => `${key} ${reason} ${message}`)
  );
}

function isSameList<T>(a: readonly T[], b: readonly T[], words: (value: T) => string): boolean {
  return a.length === b.length && a.map(words).join('\n') === b.map(words).join('\n');
}
