import type { Observable } from 'rxjs';

/** What goes out to HAProxy pods, as it is written down outside of all processes. */
export interface DeploymentIntent {
  /** Of a render. */
  readonly planId: string;
  /** `sha256:<hex>` of its haproxy.cfg. */
  readonly checksum: string;
}

/** Where intents are written down: on a Lease. */
export interface IntentBook {
  /** What goes out from now on; undefined: nothing of this process does, and what is written down stays. */
  readonly want: (intent: DeploymentIntent | undefined) => void;
  /** What is written down; undefined: nothing, or nothing that can be understood. Emits once and completes; errors where it cannot be read. */
  readonly read: () => Observable<DeploymentIntent | undefined>;
}

export function isSameIntent(a: DeploymentIntent | undefined, b: DeploymentIntent | undefined): boolean {
  return a?.planId === b?.planId && a?.checksum === b?.checksum;
}
