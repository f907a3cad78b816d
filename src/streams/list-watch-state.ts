import type { KubeFailure } from '../kube/kube-failure.ts';
import type { ListWatchPolicy } from './list-watch-policy.ts';
import type { NormalizedObject } from './normalize-object.ts';
import type { WatchLine } from './parse-watch-line.ts';
import type { DegradedReason, WatchEvent } from './watch-event.ts';

/** Where a list+watch stands; everything that the next step needs to know. */
export interface ListWatchState {
  readonly policy: ListWatchPolicy;
  readonly activity: Activity;
  /** From where a watch resumes; undefined means that a list is due. */
  readonly resourceVersion: string | undefined;
  /** The server does not know streaming lists. */
  readonly streamingRefused: boolean;
  /** A `continue` token expired: the next list asks for everything at once, as client-go does. */
  readonly unpaged: boolean;
  /** A list was completed at some time. */
  readonly synced: boolean;
  readonly absent: boolean;
  readonly condition: DegradedReason | undefined;
  /** Objects known: those of the last list, plus and minus the watch's. */
  readonly held: number;
  /** Failures since the last healthy stretch of `policy.backoff.resetAfter`. */
  readonly attempt: number;
  readonly healthySince: number | undefined;
  /** Version at which a watch sent garbage: if it happens there again, a list has to get past it. */
  readonly garbledAt: string | undefined;
}

/** A list in the making: `count` objects so far, the next page under `continue`. */
export interface ListProgress {
  readonly continue: string | undefined;
  /** The second list after an empty one. */
  readonly confirming: boolean;
  readonly count: number;
}

export type Activity =
  | { readonly kind: 'idle' }
  | { readonly kind: 'listing'; readonly list: ListProgress; readonly opened: boolean }
  /** A watch that begins with all objects (`sendInitialEvents`), before the end of these. */
  | {
      readonly kind: 'streaming-list';
      readonly idleMs: number;
      readonly openedAt: number | undefined;
      readonly count: number;
    }
  | {
      readonly kind: 'watching';
      readonly idleMs: number;
      readonly openedAt: number | undefined;
      readonly events: number;
    }
  /** Then the list goes on, or whatever is due begins. */
  | { readonly kind: 'waiting'; readonly list: ListProgress | undefined };

/** What the runner has to do now; it replaces what was running. */
export type ListWatchEffect =
  | { readonly kind: 'list'; readonly limit: number | undefined; readonly continue: string | undefined }
  | {
      readonly kind: 'watch';
      /** Undefined: begin with all objects. */
      readonly resourceVersion: string | undefined;
      readonly timeoutSeconds: number;
      readonly idleMs: number;
    }
  | { readonly kind: 'wait'; readonly ms: number };

/** Something happened to what is running. `at` is the clock in milliseconds, `random` a fresh number in [0, 1). */
export type ListWatchInput = ListWatchSignal & { readonly at: number; readonly random: number };

export type ListWatchSignal =
  | { readonly kind: 'start' }
  /** A 2xx answer began. */
  | { readonly kind: 'opened' }
  /** Objects of a list page; `list-end` follows when the page is complete. */
  | { readonly kind: 'objects'; readonly objects: readonly NormalizedObject[] }
  | { readonly kind: 'list-end'; readonly resourceVersion: string; readonly continue: string | undefined }
  /** Lines of a watch: those of one network chunk. */
  | { readonly kind: 'lines'; readonly lines: readonly WatchLine[] }
  /** The watch's answer ended in an orderly way. */
  | { readonly kind: 'closed' }
  | { readonly kind: 'failed'; readonly failure: KubeFailure }
  /** Nothing came for `silenceLimit(state)`. */
  | { readonly kind: 'silent' }
  /** A wait is over. */
  | { readonly kind: 'elapsed' };

export interface ListWatchStep {
  readonly state: ListWatchState;
  /** Undefined: what is running goes on. */
  readonly effect?: ListWatchEffect;
  readonly events: readonly WatchEvent[];
}

export function initialListWatchState(policy: ListWatchPolicy): ListWatchState {
  return {
    policy,
    activity: { kind: 'idle' },
    resourceVersion: undefined,
    streamingRefused: false,
    unpaged: false,
    synced: false,
    absent: false,
    condition: undefined,
    held: 0,
    attempt: 0,
    healthySince: undefined,
    garbledAt: undefined,
  };
}

/** How long the running request may be silent from its last sign of life; undefined when nothing listens. */
export function silenceLimit({ activity, policy }: ListWatchState): number | undefined {
  switch (activity.kind) {
    case 'streaming-list':
      return activity.openedAt === undefined ? activity.idleMs : policy.markerSilence;
    case 'watching':
      return activity.idleMs;
    case 'idle':
    case 'listing':
    case 'waiting':
      return undefined;
  }
}
