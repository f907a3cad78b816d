import type { Observable } from 'rxjs';
import { marbles } from 'rxjs-marbles';
import { describe, expect, it } from 'vitest';
import { CodedError } from '../../../src/lib/coded-error.ts';
import type { Bundle } from '../../../src/protocol/bundle.ts';
import { createPlan } from '../../../src/plan/create-plan.ts';
import { emptyOrderedMap } from '../../../src/lib/ordered-map.ts';
import { renderTurn, type RenderTurnDeps } from '../../../src/render/render-stage.ts';

const empty = emptyOrderedMap<never>();
const bundle: Bundle = {
  plan: createPlan({
    sections: empty,
    backends: empty,
    profiles: empty,
    maps: empty,
    crtLists: empty,
    files: empty,
  }),
  revision: 1,
  problems: [],
};

/** Work in units: each takes one millisecond of a clock that only work moves. */
function world(advance: number, absorb: number, { bundleError }: { bundleError?: Error } = {}) {
  let clock = 0;
  const left = { advance, absorb };
  const log: string[] = [];
  const work = (kind: 'advance' | 'absorb') => (shouldYield?: () => boolean) => {
    while (left[kind] > 0) {
      left[kind]--;
      clock++;
      if (left[kind] > 0 && shouldYield?.() === true) {
        log.push(`${kind} yields`);
        return 'yielded' as const;
      }
    }
    log.push(`${kind} done`);
    return 'finished' as const;
  };
  const deps = (pause$: Observable<unknown>): RenderTurnDeps => ({
    graph: { advance: work('advance') },
    renderer: {
      absorb: work('absorb'),
      bundle: () => {
        log.push('bundle');
        if (bundleError !== undefined) throw bundleError;
        return bundle;
      },
    },
    pause$,
    now: () => clock,
    sliceMs: 8,
  });
  return { deps, log, left };
}

const rendered = (tookMs: number) => ({ r: { kind: 'rendered' as const, bundle, tookMs } });

describe('renderTurn', () => {
  it(
    'renders a small change on subscription, without a pause',
    marbles((m) => {
      const { deps } = world(2, 1);
      const pause = m.cold('--(p|)');
      const expected = '           (r|)';
      m.expect(renderTurn(deps(pause))).toBeObservable(expected, rendered(3));
      m.expect(pause).toHaveSubscriptions([]);
    }),
  );

  it(
    'pauses after each slice of work, in the graph and in the bundle',
    marbles((m) => {
      const { deps } = world(20, 10);
      const pause = m.cold('--(p|)');
      const pauses = [
        '                        ^-!     ',
        '                        --^-!   ',
        '                        ----^-! ',
      ];
      const expected = '        ------(r|)';
      m.expect(renderTurn(deps(pause))).toBeObservable(expected, rendered(30));
      m.expect(pause).toHaveSubscriptions(pauses);
    }),
  );

  it(
    'gives the bundle a slice of its own when the last one is used up',
    marbles((m) => {
      const { deps } = world(7, 1);
      const pause = m.cold('---(p|)');
      const pauses = '           ^--!    ';
      const expected = '         ---(r|) ';
      m.expect(renderTurn(deps(pause))).toBeObservable(expected, rendered(8));
      m.expect(pause).toHaveSubscriptions(pauses);
    }),
  );

  it(
    'is superseded at a pause and loses no work: the next turn goes on',
    marbles((m) => {
      const { deps, log, left } = world(20, 1);
      const pause = m.cold('----(p|)');
      const first = '            ^-----!';
      const pauses = ['           ^---!  ', '           ----^-!'];
      const expected = '         -------';
      m.expect(renderTurn(deps(pause)), first).toBeObservable(expected);
      m.expect(pause).toHaveSubscriptions(pauses);
      m.flush();
      expect(left).toStrictEqual({ advance: 4, absorb: 1 });
      expect(log).toStrictEqual(['advance yields', 'advance yields']);
      let outcomes = 0;
      renderTurn(deps(m.cold('(p|)'))).subscribe({ next: () => outcomes++ });
      expect(outcomes).toBe(1);
      expect(log.slice(2)).toStrictEqual(['advance done', 'absorb done', 'bundle']);
    }),
  );

  it(
    'does not go back to the graph once the bundle follows it, so churn cannot hold a turn up',
    marbles((m) => {
      const { deps, log, left } = world(4, 10);
      const pause = m.cold('-(p|)');
      const expected = '         -(r|)';
      m.expect(renderTurn(deps(pause))).toBeObservable(expected, rendered(14));
      m.flush();
      expect(left.advance).toBe(0);
      expect(log).toStrictEqual(['advance done', 'absorb yields', 'absorb done', 'bundle']);
    }),
  );

  it(
    'never starts without a subscriber, and starts anew for each',
    marbles((m) => {
      const { deps, log } = world(1, 1);
      const turn$ = renderTurn(deps(m.cold('(p|)')));
      expect(log).toStrictEqual([]);
      m.expect(turn$).toBeObservable('(r|)', rendered(2));
      m.expect(turn$).toBeObservable('(r|)', rendered(0));
    }),
  );

  it(
    'emits a coded error as a rejected outcome',
    marbles((m) => {
      const { deps } = world(1, 1, { bundleError: new CodedError('HAPTIC_ERR_X', 'why') });
      const outcome = { kind: 'rejected' as const, message: 'why', problems: [] };
      m.expect(renderTurn(deps(m.cold('(p|)')))).toBeObservable('(x|)', { x: outcome });
    }),
  );

  it(
    'passes any other error, which is a bug',
    marbles((m) => {
      const bug = new TypeError('bug');
      const { deps } = world(1, 1, { bundleError: bug });
      m.expect(renderTurn(deps(m.cold('(p|)')))).toBeObservable('#', undefined, bug);
    }),
  );
});
