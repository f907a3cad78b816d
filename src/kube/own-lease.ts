import { apiGroup } from '../api/api-group.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { isSameIntent, type DeploymentIntent } from '../protocol/deployment-intent.ts';
import { kubeClient } from './kube-client.ts';
import type { KubeFailure, KubeResult } from './kube-failure.ts';
import type { KubeTransport } from './kube-transport.ts';
import { intentAnnotations, leaseIntent } from './lease-intent.ts';
import { managedBy } from './own-object.ts';

/** The Lease of a configuration whose controller has no rival: nobody holds it, it only has the intent. Nothing here rejects. */
export interface OwnLease {
  readonly read: (signal: AbortSignal) => Promise<KubeResult<DeploymentIntent | undefined>>;
  /** One attempt; where it was changed meanwhile, it is refused with 409. */
  readonly write: (intent: DeploymentIntent, signal: AbortSignal) => Promise<KubeResult<unknown>>;
  /** The configuration as owner of what is made in a namespace, so that it goes when that is deleted; none where it cannot be. */
  readonly owners: (inNamespace: string, signal: AbortSignal) => Promise<readonly OwnerReference[]>;
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

export interface OwnLeasePlace {
  readonly namespace: string;
  /** Of the configuration. */
  readonly configuration: string;
  /** The configuration is an object, and owns the Lease. */
  readonly isObject: boolean;
}

/** Name of the Lease, which is that of no election. */
export function ownLeaseName(configuration: string): string {
  return `${configuration}-retained`;
}

export function ownLease(
  transport: KubeTransport,
  { namespace, configuration, isObject }: OwnLeasePlace,
): OwnLease {
  const client = kubeClient(transport);
  const leases = { apiVersion: 'coordination.k8s.io/v1', resources: 'leases', namespace };
  const name = ownLeaseName(configuration);

  const owners: OwnLease['owners'] = async (inNamespace, signal) => {
    // An owner in another namespace would count as gone, and what it owns be collected.
    if (!isObject || inNamespace !== namespace) return [];
    const { apiVersion } = apiGroup;
    const configs = { apiVersion, resources: 'haproxytemplateconfigs', namespace };
    const owner = await client.get(configs, configuration, { signal, metadataOnly: true });
    const uid = owner.ok ? owner.value.metadata.uid : undefined;
    return uid === undefined ? [] : [{ apiVersion, kind: 'HAProxyTemplateConfig', name: configuration, uid }];
  };

  const created = async (intent: DeploymentIntent, signal: AbortSignal): Promise<KubeResult<unknown>> => {
    const ownerReferences = await owners(namespace, signal);
    const labels = { [managedBy]: 'haptic' };
    const metadata = { name, namespace, labels, annotations: intentAnnotations(intent), ownerReferences };
    return client.create(
      leases,
      { apiVersion: leases.apiVersion, kind: 'Lease', metadata, spec: {} },
      { signal },
    );
  };

  return {
    owners,
    read: async (signal) => {
      const found = await client.get(leases, name, { signal });
      if (found.ok) return { ok: true, value: leaseIntent(found.value) };
      return isNotFound(found.failure) ? { ok: true, value: undefined } : found;
    },
    write: async (intent, signal) => {
      const found = await client.get(leases, name, { signal });
      if (!found.ok) return isNotFound(found.failure) ? created(intent, signal) : found;
      if (isSameIntent(leaseIntent(found.value), intent)) return found;
      return client.replace(leases, withIntent(found.value, intent), { signal });
    },
  };
}

/** Its version goes along: what was changed since it was read is not written over. */
function withIntent(lease: KubeObject, intent: DeploymentIntent): KubeObject {
  const { metadata } = lease;
  const annotations = { ...metadata.annotations, ...intentAnnotations(intent) };
  return { ...lease, metadata: { ...metadata, annotations } };
}

function isNotFound(failure: KubeFailure): boolean {
  return failure.kind === 'http' && failure.status === 404;
}
