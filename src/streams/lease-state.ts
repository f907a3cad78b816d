import type { KubeObject } from '../api/kube-object.ts';
import type { KubeResult } from '../kube/kube-failure.ts';
import type { LeaseRecord } from '../kube/lease-record.ts';
import type { DeploymentIntent } from '../protocol/deployment-intent.ts';

/** Milliseconds. Each is less than the one before. */
export interface LeaseTiming {
  /** How long others wait after the last renewal that they saw. */
  readonly leaseDuration: number;
  /** How long the leader leads on without a renewal. */
  readonly renewDeadline: number;
  /** Between two renewals, and between attempts. */
  readonly retryPeriod: number;
}

/** The Lease as it was seen last. */
export type SeenLease =
  /** It was changed since; `holder`: who held it before. */
  | { readonly kind: 'unknown'; readonly holder: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'present'; readonly object: KubeObject; readonly record: LeaseRecord };

/** A time of leading. */
export interface Term {
  readonly epoch: number;
  /** Nothing may be written from then on: the renewal before it left `renewDeadline` earlier. */
  readonly deadline: number;
}

/** The request that is under way. */
export interface LeaseRequest {
  readonly kind: 'read' | 'create' | 'replace';
  readonly sentAt: number;
  /** How long its answer is waited for. */
  readonly timeout: number;
  /** What is written. */
  readonly lease?: KubeObject;
  /** The epoch of the term that it begins or renews; absent for a read and for a release. */
  readonly epoch?: number;
  /** It begins a term. */
  readonly begins?: boolean;
}

/**
 * - `campaign`: leads, or wants to.
 * - `retired`: wants no more, and holds the Lease still where it led: what it began may come to its end.
 * - `releasing`, `released`: gives the Lease back.
 */
export type ElectionPhase = 'campaign' | 'retired' | 'releasing' | 'released';

/** Everything that decides what an election does next. Times are those of the local monotonic clock, milliseconds. */
export interface ElectionState {
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  readonly timing: LeaseTiming;
  readonly phase: ElectionPhase;
  readonly lease: SeenLease;
  /** The Lease is being watched: what happens to it is told. */
  readonly isWatched: boolean;
  /** Until when somebody else may believe that it leads, as far as was seen; with a small share at random. */
  readonly rivalUntil: number;
  /** Highest epoch that was ever seen on the Lease or claimed. */
  readonly highestEpoch: number;
  readonly term?: Term;
  /** Of the last term that is over. */
  readonly formerEpoch?: number;
  readonly request?: LeaseRequest;
  /** When a renewal, or a look at a Lease that is not watched, is due. */
  readonly dueAt: number;
  /** No request before that: the last one failed. */
  readonly notBefore: number;
  /** Requests that met a Lease that had changed, in a row. */
  readonly conflicts: number;
  /** A pod has seen this epoch: the term's is to be raised above it. */
  readonly floor?: number;
  /** Why the last request failed. */
  readonly failure?: string;
  /** Why the last term ended. */
  readonly ended?: string;
}

export type ElectionSignal =
  | { readonly kind: 'start' | 'elapsed' }
  /** The watch has the Lease, or has it no more. */
  | { readonly kind: 'seen'; readonly lease?: KubeObject }
  | { readonly kind: 'watching'; readonly isWatched: boolean }
  | { readonly kind: 'answered'; readonly result: KubeResult<KubeObject> }
  | { readonly kind: 'timing'; readonly timing: LeaseTiming }
  | ElectionCommand;

export type ElectionCommand =
  /** A pod has seen `floor`, which is not below the term's epoch. */
  | { readonly kind: 'reclaim'; readonly floor: number }
  /** Lead no more. The Lease is kept, so that nobody else writes before `release`. */
  | { readonly kind: 'retire' }
  | { readonly kind: 'release' };

export interface ElectionContext {
  /** Of the local monotonic clock. */
  readonly at: number;
  /** Milliseconds since 1970: what others read. */
  readonly wall: number;
  /** In [0, 1). */
  readonly random: number;
  /** Highest epoch that any pod is known to have seen. */
  readonly podEpoch: number;
  /** What goes out to pods: written down with each renewal. */
  readonly intent?: DeploymentIntent;
}

export function initialElection(
  place: Pick<ElectionState, 'namespace' | 'name' | 'identity' | 'timing'>,
): ElectionState {
  return {
    ...place,
    phase: 'campaign',
    lease: { kind: 'unknown', holder: '' },
    isWatched: false,
    rivalUntil: -Infinity,
    highestEpoch: 0,
    dueAt: -Infinity,
    notBefore: -Infinity,
    conflicts: 0,
  };
}
