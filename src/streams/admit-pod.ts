import type { KubeObject } from '../api/kube-object.ts';
import type { PodRejection } from '../protocol/fleet.ts';
import type { HaproxyPod } from '../protocol/pod.ts';
import { objectKey } from './object-key.ts';
import { isRecord } from '../lib/is-record.ts';

/** `leaving`: it is terminating, or over, as an evicted one that nobody has deleted: no business of the fleet any more. */
export type PodAdmission =
  | { readonly kind: 'admitted'; readonly pod: HaproxyPod }
  | { readonly kind: 'rejected'; readonly reason: PodRejection }
  | { readonly kind: 'leaving' };

/** Names of the containers; the agent's may be among the init containers, as a native sidecar. */
const agentContainer = 'agent';
const haproxyContainer = 'haproxy';

type Fields = Readonly<Record<string, unknown>>;

/** The pod as a member of the fleet, as far as the Kubernetes API tells; or why it is none. */
export function admitPod(object: KubeObject, port: number): PodAdmission {
  const { metadata } = object;
  if (metadata.deletionTimestamp !== undefined) return { kind: 'leaving' };
  const status = fieldsOf(object['status']);
  const phase = status['phase'];
  if (phase === 'Succeeded' || phase === 'Failed') return { kind: 'leaving' };
  const address = status['podIP'];
  if (typeof address !== 'string' || address === '') return { kind: 'rejected', reason: 'no_address' };
  const statuses = [status['initContainerStatuses'], status['containerStatuses']].flatMap(listOf);
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
      uid: metadata.uid ?? '',
      address,
      port,
      containerId,
      ...(haproxyContainerId === undefined ? {} : { haproxyContainerId }),
    },
  };
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
