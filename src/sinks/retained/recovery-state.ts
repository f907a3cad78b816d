import type { UnavailableReason } from './decide-retained.ts';

/** What is done for HAProxy pods while the leader has no render of its own. */
export type RecoveryState =
  /** It has one, or is no leader, or it is not known yet that it cannot have one. */
  | { readonly kind: 'off' }
  /** It has none, and nothing is to be done yet. */
  | { readonly kind: 'pending'; readonly error: string }
  /** Pods hold what was retained, and new ones get it. */
  | {
      readonly kind: 'active';
      readonly error: string;
      readonly planId: string;
      /** Of the HAProxyCfg. */
      readonly name: string;
      /** Keys of pods that got it from this process and are still there. */
      readonly given: readonly string[];
      /** How many pods hold it. */
      readonly pods: number;
    }
  /** New pods get nothing. */
  | {
      readonly kind: 'unavailable';
      readonly error: string;
      readonly reason: UnavailableReason;
      readonly message: string;
    };
