import type { KubeObject } from '../api/kube-object.ts';
import { isRecord } from '../lib/is-record.ts';
import type { DeploymentIntent } from '../protocol/deployment-intent.ts';
import { intentAnnotations } from './lease-intent.ts';
import { epochAnnotation, leaseRecord } from './lease-record.ts';

export interface LeaseClaim {
  /** Who holds it from now on; empty: nobody. */
  readonly holder: string;
  readonly durationMs: number;
  /** Absent: as the Lease has it. */
  readonly epoch?: number;
  /** What goes out to HAProxy pods; absent: as the Lease has it. */
  readonly intent?: DeploymentIntent;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Where a Lease is, and what is there. Without `found` one is made. */
export interface LeasePlace {
  readonly namespace: string;
  readonly name: string;
  readonly found?: KubeObject;
}

/**
 * The Lease as it is to be written. What others put into it stays, and so does its version: the API refuses to write over what was
 * changed since. Seconds are rounded up, since the API knows whole ones only.
 */
export function heldLease({ namespace, name, found }: LeasePlace, claim: LeaseClaim): KubeObject {
  const { holder, epoch } = claim;
  const now = microTime(claim.now);
  const before = found === undefined ? undefined : leaseRecord(found);
  const isOther = before?.holder !== holder;
  const annotations = {
    ...found?.metadata.annotations,
    ...(epoch === undefined ? {} : { [epochAnnotation]: String(epoch) }),
    ...intentAnnotations(claim.intent),
  };
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { ...found?.metadata, name, namespace, annotations },
    spec: {
      ...(isRecord(found?.['spec']) ? found['spec'] : {}),
      holderIdentity: holder,
      leaseDurationSeconds: Math.max(1, Math.ceil(claim.durationMs / 1000)),
      renewTime: now,
      acquireTime: isOther || before.acquireTime === '' ? now : before.acquireTime,
      leaseTransitions: (before?.transitions ?? -1) + (isOther && holder !== '' ? 1 : 0),
    },
  };
}

/** The API's MicroTime: RFC 3339 with six decimals. */
function microTime(now: number): string {
  return new Date(now).toISOString().replace('Z', '000Z');
}
