import { EMPTY, type Observable, distinctUntilChanged, map, merge, scan } from 'rxjs';
import type { Bundle } from '../protocol/bundle.ts';
import type { Finding } from './verdict.ts';

/** What the latch needs of a verdict: which content it is about, and whether HAProxy took it. */
export interface LatchVerdict {
  readonly planId: string;
  /** `unchecked`: the check could not run, which says nothing about the content. */
  readonly kind: 'accepted' | 'refused' | 'unchecked';
  /** Of a refusal: what was said, and whom it names. */
  readonly findings?: readonly Pick<Finding, 'message' | 'owner' | 'usedBy' | 'sharedBy' | 'validator'>[];
}

/** A verdict and the render that it is about. */
export interface JudgedBundle {
  readonly bundle: Bundle;
  readonly verdict: LatchVerdict;
  readonly state?: { readonly stuck?: string };
}

export interface LatchState {
  /** `optimistic`: renders go out at once. `pessimistic`: every render waits for an accepting verdict. */
  readonly mode: 'optimistic' | 'pessimistic';
  /** Second failure in a row, or one for which nobody can be held back: the fleet stays at, or goes back to, the last accepted render until one passes. */
  readonly pinned: boolean;
  readonly newest?: Bundle;
  /** The newest bundle that may be delivered. */
  readonly released?: Bundle;
  /** The bundle that HAProxy accepted last. */
  readonly accepted?: Bundle;
  /** Plan that HAProxy accepted last; agents may promote it. */
  readonly validatedPlanId?: string;
  /**
   * Plan that HAProxy refused while no accepted one is known: a pod that holds it, from a time before this process, goes back to
   * its own last known good one.
   */
  readonly refusedPlanId?: string;
}

type LatchInput =
  | { readonly kind: 'bundle'; readonly bundle: Bundle }
  | { readonly kind: 'judged'; readonly judged: JudgedBundle }
  | { readonly kind: 'term' };

/** The first render waits for its verdict: nothing of this process has been seen by HAProxy yet. */
const initial: LatchState = { mode: 'pessimistic', pinned: false };

/**
 * The two-state latch between render and delivery. Optimistic: a render is delivered while HAProxy checks it. A verdict that
 * is not an acceptance turns the latch pessimistic: newer renders are held until one passes. What was released before stays
 * after a first failure, since a render without the object to blame follows at once; after a second refusal in a row the last
 * accepted render goes out again. The first render of another configuration waits for its verdict too, and so does that of each
 * term of leadership: what goes out first was seen by HAProxy.
 *
 * Checks come in the order of renders, so the last verdict is the best that is known, also about renders made since: it
 * decides though its content is not the newest any more. Waiting for a verdict on the newest would never end where renders
 * are made faster than they are checked.
 *
 * Emits the state after every input, without loss; never errors.
 */
export function latch(
  bundle$: Observable<Bundle>,
  judged$: Observable<JudgedBundle>,
  /** Emits when a term begins. */
  term$: Observable<unknown> = EMPTY,
): Observable<LatchState> {
  return merge(
    bundle$.pipe(map((bundle): LatchInput => ({ kind: 'bundle', bundle }))),
    judged$.pipe(map((judged): LatchInput => ({ kind: 'judged', judged }))),
    term$.pipe(map((): LatchInput => ({ kind: 'term' }))),
  ).pipe(scan(step, initial), distinctUntilChanged());
}

function step(state: LatchState, input: LatchInput): LatchState {
  switch (input.kind) {
    case 'bundle':
      return onBundle(state, input.bundle);
    case 'judged':
      return onVerdict(state, input.judged);
    case 'term':
      return onTerm(state);
  }
}

/**
 * A render that goes out first in a term passed the check. What did not yet is held and not replaced by an older one: the former
 * leader may have delivered it.
 */
function onTerm(state: LatchState): LatchState {
  const { released, ...held } = state;
  if (released === undefined || released.plan.id === state.accepted?.plan.id) return state;
  return { ...held, mode: 'pessimistic' };
}

function onBundle(state: LatchState, newest: Bundle): LatchState {
  const isOtherConfig =
    state.newest !== undefined && state.newest.provenance?.generation !== newest.provenance?.generation;
  const mode = isOtherConfig ? 'pessimistic' : state.mode;
  return mode === 'optimistic' || newest.plan.id === state.released?.plan.id
    ? { ...state, mode, newest, released: newest }
    : { ...state, mode, newest };
}

function onVerdict(state: LatchState, { bundle, verdict, state: held }: JudgedBundle): LatchState {
  const { newest } = state;
  if (verdict.kind === 'accepted') {
    // A verdict on a render of the former configuration says nothing about the new one.
    const isFormer = newest !== undefined && newest.provenance?.generation !== bundle.provenance?.generation;
    if (isFormer) return { ...state, accepted: bundle, validatedPlanId: bundle.plan.id };
    return {
      mode: 'optimistic',
      pinned: false,
      accepted: bundle,
      validatedPlanId: bundle.plan.id,
      ...(newest === undefined ? {} : { newest, released: newest }),
    };
  }
  const isHopeless = state.mode === 'pessimistic' || held?.stuck !== undefined;
  const pinned = isHopeless && state.accepted !== undefined;
  const next = { ...state, mode: 'pessimistic' as const, pinned };
  if (verdict.kind === 'unchecked') return next;
  if (state.accepted === undefined) return { ...next, refusedPlanId: bundle.plan.id };
  return pinned ? { ...next, released: state.accepted } : next;
}
