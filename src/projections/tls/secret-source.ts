import type { KubeObject } from '../../api/kube-object.ts';
import type { OnDemandObjects } from '../../collections/read-on-demand.ts';
import type { Collection } from '../../collections/types.ts';

/** Where Secrets are. */
export interface SecretSource {
  /** By `namespace/name`; references to them where they are stored on demand. */
  readonly secrets: Collection<KubeObject>;
  /** Absent: `secrets` has them whole. */
  readonly onDemand?: OnDemandObjects<KubeObject>;
}
