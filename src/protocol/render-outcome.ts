import type { Bundle } from './bundle.ts';
import type { Problem } from '../lib/problem.ts';

/**
 * How one render ended. `rejected`: the templates could not be run as a whole; what was rendered before stays in effect. `passing`: that is
 * for want of something that may come, and no fault of theirs.
 */
export type RenderOutcome =
  | { readonly kind: 'rendered'; readonly bundle: Bundle; readonly tookMs: number }
  | {
      readonly kind: 'rejected';
      readonly message: string;
      readonly problems: readonly Problem[];
      readonly passing?: true;
    };
