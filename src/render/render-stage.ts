import { defer, EMPTY, expand, filter, map, type Observable, of, switchMap } from 'rxjs';
import type { Graph } from '../collections/types.ts';
import { CodedError } from '../lib/coded-error.ts';
import type { Bundle } from '../protocol/bundle.ts';
import type { RenderOutcome } from '../protocol/render-outcome.ts';
import type { Renderer } from './create-renderer.ts';

export interface RenderTurnDeps {
  readonly graph: Pick<Graph, 'advance'>;
  readonly renderer: Pick<Renderer, 'absorb' | 'bundle'>;
  /** Emits once when the event loop has had its turn. */
  readonly pause$: Observable<unknown>;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  /** Milliseconds of work between two pauses. */
  readonly sliceMs: number;
}

type Step =
  | { readonly kind: 'advance' | 'absorb' | 'bundle' }
  | { readonly kind: 'done'; readonly outcome: RenderOutcome };

/**
 * One cooperative turn: brings the graph up to date, the bundle after it, and emits it. The first slice runs on subscription, so
 * that a small change is rendered synchronously; after each slice of `sliceMs` the turn pauses.
 *
 * Loss policy: unsubscribing supersedes the turn at its next pause and loses no work, the next turn goes on where it ended.
 * A coded error is a `rejected` outcome; any other error is a bug and passes.
 */
export function renderTurn(deps: RenderTurnDeps): Observable<RenderOutcome> {
  return defer(() => {
    const begun = deps.now();
    const slice = (from: Step): Observable<Step> => defer(() => of(runSlice(deps, from, begun)));
    return slice({ kind: 'advance' }).pipe(
      expand((step) => (step.kind === 'done' ? EMPTY : deps.pause$.pipe(switchMap(() => slice(step))))),
      filter((step) => step.kind === 'done'),
      map((step) => step.outcome),
    );
  });
}

/** Runs steps until the slice is used up or all is done; the step to go on with. */
function runSlice({ graph, renderer, now, sliceMs }: RenderTurnDeps, from: Step, begun: number): Step {
  const end = now() + sliceMs;
  const isOver = (): boolean => now() >= end;
  try {
    if (from.kind === 'advance' && graph.advance(isOver) === 'yielded') return from;
    if (from.kind !== 'bundle' && renderer.absorb(isOver) === 'yielded') return { kind: 'absorb' };
    if (from.kind !== 'bundle' && isOver()) return { kind: 'bundle' };
    return { kind: 'done', outcome: rendered(renderer.bundle(), now() - begun) };
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    return { kind: 'done', outcome: { kind: 'rejected', message: error.message, problems: [] } };
  }
}

function rendered(bundle: Bundle, tookMs: number): RenderOutcome {
  return { kind: 'rendered', bundle, tookMs };
}
