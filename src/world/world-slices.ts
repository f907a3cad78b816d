import { asyncScheduler } from 'rxjs';
import type { RunInSlicesOptions } from '../operators/run-in-slices.ts';
import { immediate$ } from '../render/immediate.ts';

/** How work on a whole configuration pauses. */
export const worldSlices: RunInSlicesOptions = {
  pause$: immediate$,
  now: () => asyncScheduler.now(),
  sliceMs: 8,
};
