import { runSlices } from '../lib/run-slices.ts';
import type { Plan } from '../protocol/plan.ts';
import { planInSlices, type PlanParts } from './plan-in-slices.ts';

/**
 * Gives a render its id: xxhash64, 16 hex digits, over the schema version, every file (path, digest, kind, size,
 * reloadOnChange) and the typed data that the files' bytes do not determine. Owners and templates are no part of it.
 *
 * With `previous`, only records that differ from it are hashed; the id is the same as without. `previous` must come from
 * this function too, else it is of no use (and does no harm).
 */
export function createPlan(parts: PlanParts, previous?: Plan): Plan {
  return runSlices(planInSlices(parts, previous));
}
