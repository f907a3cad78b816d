import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Slices } from './slices.ts';

/** Milliseconds of work between two turns of the event loop. */
const sliceMs = 8;

/**
 * Runs work to its end, with turns of the event loop between its slices. Rejects with what the work throws, and when it is aborted, at once or at the next turn; then
 * the work's `finally` runs.
 */
export async function runWithTurns<T>(slices: Slices<T>, signal?: AbortSignal): Promise<T> {
  try {
    for (;;) {
      signal?.throwIfAborted();
      const end = performance.now() + sliceMs;
      do {
        const { done, value } = slices.next();
        if (done === true) return value;
      } while (performance.now() < end);
      await nextTurn(undefined, { ...(signal && { signal }) });
    }
  } finally {
    slices[Symbol.dispose]();
  }
}
