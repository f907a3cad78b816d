import type { KubeObject } from '../api/kube-object.ts';
import type { HaproxyPod } from '../protocol/pod.ts';
import { objectKey } from './object-key.ts';
import { isRecord } from '../lib/is-record.ts';

/** Name of the agent's container, among the containers or (as a native sidecar) the init containers. */
const agentContainer = 'agent';

/**
 * The pod as a member of the fleet, or undefined when it cannot be delivered to: it has no address yet, is terminating,
 * or its agent container does not run.
 */
export function admitPod(pod: KubeObject, port: number): HaproxyPod | undefined {
  const { metadata } = pod;
  if (metadata.deletionTimestamp !== undefined) return undefined;
  const status = fieldsOf(pod['status']);
  const address = status['podIP'];
  const containerId = [status['initContainerStatuses'], status['containerStatuses']]
    .flatMap((list): unknown[] => (Array.isArray(list) ? list : []))
    .map((container) => runningAgent(fieldsOf(container)))
    .find((id) => id !== undefined);
  if (typeof address !== 'string' || address === '' || containerId === undefined) return undefined;
  return { key: objectKey(pod), uid: metadata.uid ?? '', address, port, containerId };
}

function runningAgent(container: Readonly<Record<string, unknown>>): string | undefined {
  if (container['name'] !== agentContainer || !isRecord(fieldsOf(container['state'])['running']))
    return undefined;
  const id = container['containerID'];
  return typeof id === 'string' ? id : '';
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}
