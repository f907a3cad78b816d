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
}
