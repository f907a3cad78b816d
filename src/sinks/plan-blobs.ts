import { LRUCache } from 'lru-cache';
import { type Observable, ReplaySubject, defer, finalize, of, share, tap } from 'rxjs';
import { abortable } from '../operators/abortable.ts';
import type { Plan } from '../protocol/plan.ts';

/** Plans as blobs, each encoded once for the whole fleet. */
export interface PlanBlobs {
  /** The blob, if it is there already. */
  peek(plan: Plan): Uint8Array | undefined;
  /** Emits the blob and completes; undefined: it is too large for a pod to keep. Ends the work when nobody waits any more. */
  encode(plan: Plan): Observable<Uint8Array | undefined>;
}

interface Encoded {
  readonly blob: Uint8Array | undefined;
}

/** A blob is up to 8 MiB, and only the newest plans are asked for. */
const remembered = 3;

export function createPlanBlobs(
  encodePlan: (plan: Plan, signal: AbortSignal) => Promise<Uint8Array | undefined>,
): PlanBlobs {
  const known = new LRUCache<string, Encoded>({ max: remembered });
  const running = new Map<string, Observable<Uint8Array | undefined>>();

  return {
    peek: (plan) => known.get(plan.id)?.blob,
    encode: (plan) =>
      defer(() => {
        const found = known.get(plan.id);
        if (found !== undefined) return of(found.blob);
        const other$ = running.get(plan.id);
        if (other$ !== undefined) return other$;
        const work$ = abortable((signal) => encodePlan(plan, signal)).pipe(
          tap((blob) => known.set(plan.id, { blob })),
          finalize(() => running.delete(plan.id)),
          share({ connector: () => new ReplaySubject(1), resetOnRefCountZero: true }),
        );
        running.set(plan.id, work$);
        return work$;
      }),
  };
}
