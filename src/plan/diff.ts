import { runSlices } from '../lib/run-slices.ts';
import type { Plan } from '../protocol/plan.ts';
import type { Baseline, Decision } from './baseline.ts';
import { diffInSlices } from './diff-in-slices.ts';

/** See {@link diffInSlices}: all at once, for whoever has nothing else to do. */
export function diff(next: Plan, base: Baseline): Decision {
  return runSlices(diffInSlices(next, base));
}
