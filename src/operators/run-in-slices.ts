import { EMPTY, type Observable, defer, expand, filter, finalize, map, of, take } from 'rxjs';
import type { Slices } from '../lib/slices.ts';

export interface RunInSlicesOptions {
  /** Emits when the event loop has had its turn. */
  readonly pause$: Observable<unknown>;
  /** Milliseconds. */
  readonly now: () => number;
  /** Milliseconds of work between two pauses. */
  readonly sliceMs: number;
}

/**
 * Runs work with pauses, emits its result and completes. The first slice runs on subscription, so that a little work is done
 * synchronously; each subscriber has its own.
 *
 * Loss policy: none; unsubscribing gives the work up at its next pause, where its `finally` runs. What the work throws is an error.
 */
export function runInSlices<T>(work: () => Slices<T>, options: RunInSlicesOptions): Observable<T> {
  return defer(() => {
    const slices = work();
    return of(runSlice(slices, options)).pipe(
      expand(({ done }) =>
        done === true
          ? EMPTY
          : options.pause$.pipe(
              take(1),
              map(() => runSlice(slices, options)),
            ),
      ),
      filter((result) => result.done === true),
      map(({ value }) => value),
      finalize(() => slices[Symbol.dispose]()),
    );
  });
}

/** Runs work until the slice is used up, or it has ended. */
function runSlice<T>(slices: Slices<T>, { now, sliceMs }: RunInSlicesOptions): IteratorResult<undefined, T> {
  const end = now() + sliceMs;
  for (;;) {
    const result = slices.next();
    if (result.done === true || now() >= end) return result;
  }
}
