import type { KubeObject } from '../api/kube-object.ts';
import { isRecord } from '../lib/is-record.ts';

/** What a Lease says about who leads. Read tolerantly: people edit Leases. */
export interface LeaseRecord {
  /** Empty: nobody. */
  readonly holder: string;
  /** How long the holder may be silent; absent where the Lease has nothing that makes sense. */
  readonly durationMs?: number;
  /** Compared, never read as a time: the clocks of two replicas differ. */
  readonly renewTime: string;
  readonly acquireTime: string;
  readonly transitions: number;
  readonly epoch: LeaseEpoch;
}

/** The counter of terms in the Lease's annotation. */
export type LeaseEpoch =
  | { readonly kind: 'none' }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'unreadable'; readonly text: string };

export const epochAnnotation = 'haptic.io/leader-epoch';

const wholeNumber = /^\d{1,16}$/;

export function leaseRecord({ metadata, spec }: KubeObject): LeaseRecord {
  const fields = isRecord(spec) ? spec : {};
  const { leaseDurationSeconds: seconds, leaseTransitions: transitions } = fields;
  return {
    holder: textOf(fields['holderIdentity']),
    ...(typeof seconds === 'number' && seconds > 0 ? { durationMs: seconds * 1000 } : {}),
    renewTime: textOf(fields['renewTime']),
    acquireTime: textOf(fields['acquireTime']),
    transitions: typeof transitions === 'number' && transitions >= 0 ? transitions : 0,
    epoch: leaseEpoch(metadata.annotations?.[epochAnnotation]),
  };
}

function leaseEpoch(text: string | undefined): LeaseEpoch {
  if (text === undefined) return { kind: 'none' };
  const value = wholeNumber.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(value) ? { kind: 'number', value } : { kind: 'unreadable', text };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Nothing happened to it in between: its holder has not renewed it. */
export function isSameRecord(a: LeaseRecord, b: LeaseRecord): boolean {
  return (
    a.holder === b.holder &&
    a.durationMs === b.durationMs &&
    a.renewTime === b.renewTime &&
    a.acquireTime === b.acquireTime &&
    a.transitions === b.transitions
  );
}
