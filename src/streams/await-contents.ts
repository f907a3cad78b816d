import { type Observable, concatMap, defer, merge, of, take, tap, timer } from 'rxjs';
import type { RenderOutcome } from '../protocol/render-outcome.ts';
import type { FirstContents } from './http-member.ts';

/**
 * A render of a configuration, which waits for HTTP content the first time: the pods still run what a former configuration, or process, gave
 * them, and a list that is not there yet must not be taken from them. Once all that items read is there or known not to come, and at
 * the latest when its deadline is over, the render goes out. As long as a template itself lacks content that it calls
 * critical, the outcome is `rejected`, and what was rendered before stays in effect.
 *
 * `turn$` is subscribed again for every look; unsubscribing ends it. Later renders are passed on as they are.
 */
export function awaitContents(
  turn$: Observable<RenderOutcome>,
  first: FirstContents,
): Observable<RenderOutcome> {
  const told$ = defer(() => {
    first.begun();
    return turn$;
  }).pipe(tap(({ kind }) => kind === 'rendered' && first.rendered()));
  const attempt = (): Observable<RenderOutcome> =>
    told$.pipe(
      concatMap((outcome) => {
        if (outcome.kind === 'rejected' || first.isOpen()) return of(outcome);
        if (first.isSettled()) return of(concluded(outcome, first));
        const over$ = first.deadline$.pipe(tap(() => first.giveUp()));
        // Giving up changes contents, and content that came while the turn went on is no event any more.
        return merge(first.changed$, over$, timer(lookAgain)).pipe(take(1), concatMap(attempt));
      }),
    );
  return attempt();
}

/** Milliseconds after which an attempt looks whether it missed something. */
const lookAgain = 1_000;

function concluded(
  outcome: Extract<RenderOutcome, { kind: 'rendered' }>,
  first: FirstContents,
): RenderOutcome {
  const { problems } = outcome.bundle;
  const missing = problems.find(
    ({ reason, owner }) => reason === 'CriticalContentMissing' && owner.kind === 'Template',
  );
  if (missing !== undefined)
    return {
      kind: 'rejected',
      message: `${missing.owner.name}: ${missing.message}`,
      problems,
      passing: true,
    };
  first.open();
  return outcome;
}
