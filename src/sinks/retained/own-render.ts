import { type Observable, distinctUntilChanged, filter, map, merge, scan } from 'rxjs';
import type { LatchState, LatchVerdict } from '../../gate/latch.ts';
import type { RenderOutcome } from '../../protocol/render-outcome.ts';

export interface OwnRenderInputs {
  readonly latch$: Observable<Pick<LatchState, 'released' | 'accepted'>>;
  readonly render$: Observable<RenderOutcome>;
  readonly verdict$: Observable<LatchVerdict>;
  /** Why no configuration could be taken; undefined: nothing is known to be wrong with it. */
  readonly configuration$: Observable<string | undefined>;
}

/** Whether this process has something to let out. */
export interface OwnRender {
  /** A render was accepted, or let out. */
  readonly isThere: boolean;
  /** What keeps it from having one, as far as that is known. */
  readonly error?: string;
}

interface Facts {
  readonly isThere: boolean;
  readonly configuration?: string | undefined;
  readonly render?: string | undefined;
  readonly verdict?: string | undefined;
}

const longest = 500;

/**
 * Whether this process has a render of its own, and if not, why. What was wrong first in the way from the configuration to HAProxy is
 * what keeps the rest from coming. A render that is still waited for is no error.
 */
export function ownRender(inputs: OwnRenderInputs): Observable<OwnRender> {
  return merge(
    inputs.latch$.pipe(
      map(({ released, accepted }): Partial<Facts> => ({
        isThere: released !== undefined || accepted !== undefined,
      })),
    ),
    inputs.configuration$.pipe(map((configuration): Partial<Facts> => ({ configuration }))),
    inputs.render$.pipe(
      filter((outcome) => outcome.kind === 'rendered' || outcome.passing !== true),
      map((outcome): Partial<Facts> =>
        outcome.kind === 'rendered' ? { render: undefined } : { render: outcome.message },
      ),
    ),
    inputs.verdict$.pipe(map((verdict): Partial<Facts> => ({ verdict: wordsOf(verdict) }))),
  ).pipe(
    scan<Partial<Facts>, Facts>((facts, news) => ({ ...facts, ...news }), { isThere: false }),
    map(({ isThere, configuration, render, verdict }): OwnRender => {
      const error = configuration ?? render ?? verdict;
      return isThere || error === undefined ? { isThere } : { isThere, error: error.slice(0, longest) };
    }),
    distinctUntilChanged((a, b) => a.isThere === b.isThere && a.error === b.error),
  );
}

function wordsOf({ kind, findings = [] }: LatchVerdict): string | undefined {
  if (kind === 'accepted') return undefined;
  if (kind === 'unchecked') return 'HAProxy could not be asked about the render';
  return `HAProxy refuses the render: ${findings[0]?.message ?? 'it gives no reason'}`;
}
