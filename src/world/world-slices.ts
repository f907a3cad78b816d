import { asyncScheduler } from 'rxjs';
import type { InSlicesOptions } from '../operators/in-slices.ts';
import { immediate$ } from '../render/immediate.ts';

/** How work on a whole configuration pauses. */
export const worldSlices: InSlicesOptions = {
  pause$: immediate$,
  now: () => asyncScheduler.now(),
  sliceMs: 8,
};
