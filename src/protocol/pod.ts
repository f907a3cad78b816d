/** A HAProxy pod that can be delivered to: it has an address and its agent container runs. */
export interface HaproxyPod {
  /** `namespace/name` */
  readonly key: string;
  readonly uid: string;
  readonly address: string;
  /** Port of the agent. */
  readonly port: number;
  /** Container id of the agent: a new one means that the agent was restarted. */
  readonly containerId: string;
  /** Container id of HAProxy, where it runs in a container of its own. */
  readonly haproxyContainerId?: string;
}

/**
 * Identity of the data plane behind a pod's name and address: another one under the same name or address is another pod, to which
 * nothing that was sent to or heard from the former applies.
 */
export function authorityOf(pod: HaproxyPod): string {
  const { key, uid, containerId, haproxyContainerId = '', address, port } = pod;
  return `${key} ${uid} ${containerId} ${haproxyContainerId} ${address}:${port}`;
}
