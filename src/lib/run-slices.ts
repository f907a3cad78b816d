import type { Slices } from './slices.ts';

/** Runs work to its end at once, for whoever has nothing else to do. */
export function runSlices<T>(slices: Slices<T>): T {
  for (;;) {
    const { done, value } = slices.next();
    if (done === true) return value;
  }
}
