import { type Observable, distinctUntilChanged, map, merge, scan } from 'rxjs';
import type { Bundle } from '../protocol/bundle.ts';

/** What the latch needs of a verdict: which content it is about, and whether HAProxy took it. */
export interface LatchVerdict {
  readonly planId: string;
  /** `unchecked`: the check could not run, which says nothing about the content. */
  readonly kind: 'accepted' | 'refused' | 'unchecked';
}

export interface LatchState {
  /** `optimistic`: renders go out at once. `pessimistic`: every render waits for an accepting verdict. */
  readonly mode: 'optimistic' | 'pessimistic';
  /** Second consecutive failure on newest content: the fleet stays where it is until a render passes. */
  readonly pinned: boolean;
  readonly newest?: Bundle;
  /** The newest bundle that may be delivered. */
  readonly released?: Bundle;
  /** Plan that HAProxy accepted last; agents may promote it. */
  readonly validatedPlanId?: string;
}

type LatchInput =
  | { readonly kind: 'bundle'; readonly bundle: Bundle }
  | { readonly kind: 'verdict'; readonly verdict: LatchVerdict };

/** The first render waits for its verdict: nothing of this process has been seen by HAProxy yet. */
const initial: LatchState = { mode: 'pessimistic', pinned: false };

/**
 * The two-state latch between render and delivery. Optimistic: a render is delivered while HAProxy checks it. A verdict that
 * is not an acceptance of the newest content turns the latch pessimistic: what was released before stays, newer renders are
 * held until one passes. Verdicts on older content move nothing but `validatedPlanId`.
 *
 * Emits the state after every input, without loss; never errors.
 */
export function latch(
  bundle$: Observable<Bundle>,
  verdict$: Observable<LatchVerdict>,
): Observable<LatchState> {
  return merge(
    bundle$.pipe(map((bundle): LatchInput => ({ kind: 'bundle', bundle }))),
    verdict$.pipe(map((verdict): LatchInput => ({ kind: 'verdict', verdict }))),
  ).pipe(scan(step, initial), distinctUntilChanged());
}

function step(state: LatchState, input: LatchInput): LatchState {
  if (input.kind === 'bundle') {
    const newest = input.bundle;
    return state.mode === 'optimistic' || newest.plan.id === state.released?.plan.id
      ? { ...state, newest, released: newest }
      : { ...state, newest };
  }
  const { verdict } = input;
  const validated = verdict.kind === 'accepted' ? { validatedPlanId: verdict.planId } : {};
  if (verdict.planId !== state.newest?.plan.id) return { ...state, ...validated };
  return verdict.kind === 'accepted'
    ? { ...state, ...validated, mode: 'optimistic', pinned: false, released: state.newest }
    : {
        ...state,
        mode: 'pessimistic',
        pinned: state.mode === 'pessimistic' && state.validatedPlanId !== undefined,
      };
}
