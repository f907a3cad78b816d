import type { Observable } from 'rxjs';
import type { KubeObject } from '../api/kube-object.ts';
import { abortable } from '../operators/abortable.ts';
import { kubeClient } from './kube-client.ts';
import type { KubeResult } from './kube-failure.ts';
import type { KubeTransport } from './kube-transport.ts';
import type { OwnerReference } from './own-lease.ts';

/** Calls about one Lease: each is sent on subscription, emits once and completes, never errors. Unsubscribing aborts. */
export interface LeaseRequests {
  read(): Observable<KubeResult<KubeObject>>;
  create(lease: KubeObject): Observable<KubeResult<KubeObject>>;
  /** Refused with 409 where the Lease is not of that version any more. */
  replace(lease: KubeObject): Observable<KubeResult<KubeObject>>;
}

export function leaseRequests(
  transport: KubeTransport,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  /** Whose a Lease is that is made. */
  owners: (signal: AbortSignal) => Promise<readonly OwnerReference[]>,
): LeaseRequests {
  const client = kubeClient(transport);
  const leases = { apiVersion: 'coordination.k8s.io/v1', resources: 'leases', namespace };
  return {
    read: () => abortable((signal) => client.get(leases, name, { signal })),
    create: (lease) =>
      abortable(async (signal) => {
        const ownerReferences = await owners(signal);
        const metadata = { ...lease.metadata, ...(ownerReferences.length > 0 && { ownerReferences }) };
        return client.create(leases, { ...lease, metadata }, { signal });
      }),
    replace: (lease) => abortable((signal) => client.replace(leases, lease, { signal })),
  };
}
