import type { Problem } from '../lib/problem.ts';
import type { Declared } from './declared.ts';
import type { Plan } from './plan.ts';
import type { Provenance } from './provenance.ts';

/**
 * One whole render: the plan (with every file's content behind it) and what went wrong with single objects on the way.
 * Two bundles of the same content have the same `plan.id`, whatever they declare besides: own Kubernetes objects, status
 * patches and events, each map absent where a bundle declares none.
 */
export interface Bundle extends Partial<Declared> {
  readonly plan: Plan;
  /** Turn of the collections that this render shows; grows with every bundle of a process. */
  readonly revision: number;
  readonly problems: readonly Problem[];
  /** Absent where nobody can be held back: such a bundle is good or bad as a whole. */
  readonly provenance?: Provenance;
}
