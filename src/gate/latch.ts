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
  /** Second failure in a row: the fleet stays where it is until a render passes. */
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
 * is not an acceptance turns the latch pessimistic: what was released before stays, newer renders are held until one passes.
 *
 * Checks come in the order of renders, so the last verdict is the best that is known, also about renders made since: it
 * decides though its content is not the newest any more. Waiting for a verdict on the newest would never end where renders
 * are made faster than they are checked.
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
  const { kind, planId } = input.verdict;
  if (kind === 'accepted')
    return {
      mode: 'optimistic',
      pinned: false,
      validatedPlanId: planId,
      ...(state.newest === undefined ? {} : { newest: state.newest, released: state.newest }),
    };
  const isSecond = state.mode === 'pessimistic' && state.validatedPlanId !== undefined;
  return { ...state, mode: 'pessimistic', pinned: isSecond };
}
