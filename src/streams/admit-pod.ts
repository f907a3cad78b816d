import type { KubeObject } from '../api/kube-object.ts';
import type { PodRejection } from '../protocol/fleet.ts';
import type { HaproxyPod } from '../protocol/pod.ts';
import { objectKey } from './object-key.ts';
import { isRecord } from '../lib/is-record.ts';

/**
 * - `leaving`: it is terminating, and its HAProxy still serves.
 * - `gone`: it is over, or as good as that, as an evicted one that nobody has deleted: no business of the fleet any more.
 */
export type PodAdmission =
  | { readonly kind: 'admitted'; readonly pod: HaproxyPod }
  | { readonly kind: 'rejected'; readonly reason: PodRejection }
  | { readonly kind: 'leaving'; readonly pod: HaproxyPod }
  | { readonly kind: 'gone' };

/** Names of the containers; the agent's may be among the init containers, as a native sidecar. */
const agentContainer = 'agent';
const haproxyContainer = 'haproxy';

type Fields = Readonly<Record<string, unknown>>;

/** The pod as a member of the fleet, as far as the Kubernetes API tells; or why it is none. */
export function admitPod(object: KubeObject, port: number): PodAdmission {
  const status = fieldsOf(object['status']);
  const phase = status['phase'];
  if (phase === 'Succeeded' || phase === 'Failed') return { kind: 'gone' };
  const admission = admitRunning(object, status, port);
  if (object.metadata.deletionTimestamp === undefined) return admission;
  return admission.kind === 'admitted' && hasHaproxy(status)
    ? { kind: 'leaving', pod: admission.pod }
    : { kind: 'gone' };
}

function admitRunning(
  object: KubeObject,
  status: Fields,
  port: number,
): Extract<PodAdmission, { readonly kind: 'admitted' | 'rejected' }> {
  const address = status['podIP'];
  if (typeof address !== 'string' || address === '') return { kind: 'rejected', reason: 'no_address' };
  const statuses = containersOf(status);
  const agents = statuses.filter(({ name }) => name === agentContainer);
  if (agents.length === 0) return { kind: 'rejected', reason: 'agent_missing' };
  const containerId = agents.map(runningId).find((id) => id !== undefined);
  if (containerId === undefined) return { kind: 'rejected', reason: 'agent_not_running' };
  const haproxyContainerId = statuses
    .filter(({ name }) => name === haproxyContainer)
    .map(runningId)
    .find((id) => id !== undefined);
  return {
    kind: 'admitted',
    pod: {
      key: objectKey(object),
      uid: object.metadata.uid ?? '',
      address,
      port,
      containerId,
      ...(haproxyContainerId === undefined ? {} : { haproxyContainerId }),
    },
  };
}

function containersOf(status: Fields): readonly Fields[] {
  return [status['initContainerStatuses'], status['containerStatuses']].flatMap(listOf);
}

/** Whether HAProxy runs; where it is in no container of its own, it runs as long as the agent does. */
function hasHaproxy(status: Fields): boolean {
  const containers = containersOf(status).filter(({ name }) => name === haproxyContainer);
  return containers.length === 0 || containers.some((container) => runningId(container) !== undefined);
}

function runningId(container: Fields): string | undefined {
  if (!isRecord(fieldsOf(container['state'])['running'])) return undefined;
  const id = container['containerID'];
  return typeof id === 'string' ? id : '';
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}
