import { marbles } from 'rxjs-marbles';
import { type Observable, map } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { Problem } from '../../../src/lib/problem.ts';
import type { RenderOutcome } from '../../../src/protocol/render-outcome.ts';
import { awaitContents } from '../../../src/streams/await-contents.ts';
import type { FirstContents } from '../../../src/streams/http-member.ts';
import { bundleOf } from '../../fixtures/bundle-of.ts';

const problem = (kind: string, reason: string): Problem => ({
  severity: 'error',
  reason,
  field: '',
  message: 'https://a.example/: answered 500',
  owner: { kind, namespace: '', name: 'map blocked' },
});
const rendered = (problems: readonly Problem[] = []): RenderOutcome => ({
  kind: 'rendered',
  bundle: { ...bundleOf('p'), problems },
  tookMs: 0,
});
const outcomes: Record<string, RenderOutcome> = {
  r: rendered(),
  o: rendered([problem('Ingress', 'CriticalContentMissing'), problem('Template', 'FetchFailed')]),
  c: rendered([problem('Template', 'CriticalContentMissing')]),
  x: { kind: 'rejected', message: 'no', problems: [] },
};

/** What was called, and a state that tests turn. */
function firstOf(
  changed$: Observable<unknown>,
  deadline$: Observable<unknown>,
  start: Partial<Record<'open' | 'settled', boolean>> = {},
) {
  const calls: string[] = [];
  const state = { open: false, settled: false, ...start };
  const first: FirstContents = {
    isOpen: () => state.open,
    isSettled: () => state.settled,
    changed$: changed$.pipe(map(() => void (state.settled = true))),
    deadline$,
    begun: () => calls.push('begun'),
    rendered: () => calls.push('rendered'),
    giveUp: () => {
      calls.push('give up');
      state.settled = true;
    },
    open: () => {
      calls.push('open');
      state.open = true;
    },
  };
  return { first, calls };
}

describe('awaitContents', () => {
  it(
    'passes renders on where nothing is waited for',
    marbles((m) => {
      const { first, calls } = firstOf(m.cold('-'), m.cold('-'), { settled: true });
      const turn = m.cold('    --(r|)', outcomes);
      m.expect(awaitContents(turn, first)).toBeObservable('--(r|)', outcomes);
      m.expect(turn).toHaveSubscriptions('^-!');
      m.flush();
      expect(calls).toStrictEqual(['begun', 'rendered', 'open']);
    }),
  );

  it(
    'passes every later render on at once, and says when a turn begins and ends',
    marbles((m) => {
      const { first, calls } = firstOf(m.cold('-'), m.cold('-'), { open: true });
      const turn = m.cold('    --(c|)', outcomes);
      m.expect(awaitContents(turn, first)).toBeObservable('--(c|)', outcomes);
      m.flush();
      expect(calls).toStrictEqual(['begun', 'rendered']);
    }),
  );

  it(
    'renders again when contents came, and passes that render on',
    marbles((m) => {
      const changed = m.hot('-----c');
      const { first } = firstOf(changed, m.cold('-'));
      const turn = m.cold('    -(r|)', outcomes);
      const expected = '       ------(r|)';
      m.expect(awaitContents(turn, first)).toBeObservable(expected, outcomes);
      m.expect(turn).toHaveSubscriptions(['^!', '-----^!']);
      m.expect(changed).toHaveSubscriptions('-^---!');
    }),
  );

  it(
    'waits no longer than the deadline',
    marbles((m) => {
      const deadline = m.cold(' ---d');
      const { first, calls } = firstOf(m.cold('-'), deadline);
      const turn = m.cold('    -(r|)', outcomes);
      const expected = '       -----(r|)';
      m.expect(awaitContents(turn, first)).toBeObservable(expected, outcomes);
      m.expect(deadline).toHaveSubscriptions('-^--!');
      m.flush();
      expect(calls).toStrictEqual(['begun', 'rendered', 'give up', 'begun', 'rendered', 'open']);
    }),
  );

  it(
    'looks again by itself, in case a change came while the turn went on',
    marbles((m) => {
      const { first } = firstOf(m.cold('-'), m.cold('-'));
      const turn = m.cold('    -(r|)', outcomes);
      const outcome$ = awaitContents(turn, first);
      m.expect(outcome$, '     ^ 2100ms !').toBeObservable('-');
      m.expect(turn).toHaveSubscriptions(['^!', '- 1s ^!', '-- 2s ^!']);
    }),
  );

  it(
    'rejects a render in which a template lacks content that it calls critical, and is not open after it',
    marbles((m) => {
      const { first, calls } = firstOf(m.cold('-'), m.cold('-'), { settled: true });
      const turn = m.cold('    (c|)', outcomes);
      const message = 'map blocked: https://a.example/: answered 500';
      const kinds = map((outcome: RenderOutcome) =>
        outcome.kind === 'rejected' && outcome.passing === true ? outcome.message : 'other',
      );
      m.expect(awaitContents(turn, first).pipe(kinds)).toBeObservable('(x|)', { x: message });
      m.flush();
      expect(calls).not.toContain('open');
    }),
  );

  it(
    'lets a render out in which an object lacks such content: it is that object that is not served',
    marbles((m) => {
      const { first } = firstOf(m.cold('-'), m.cold('-'), { settled: true });
      m.expect(awaitContents(m.cold('(o|)', outcomes), first)).toBeObservable('(o|)', outcomes);
    }),
  );

  it(
    'passes on that templates could not be run, and waits for nothing',
    marbles((m) => {
      const { first, calls } = firstOf(m.cold('-'), m.cold('-'));
      m.expect(awaitContents(m.cold('(x|)', outcomes), first)).toBeObservable('(x|)', outcomes);
      m.flush();
      expect(calls).toStrictEqual(['begun']);
    }),
  );

  it(
    'ends turn and wait when it is superseded',
    marbles((m) => {
      const changed = m.hot('-');
      const { first } = firstOf(changed, m.cold('-'));
      const turn = m.cold('    --(r|)', outcomes);
      m.expect(awaitContents(turn, first), '^----!').toBeObservable('-');
      m.expect(turn).toHaveSubscriptions('^-!');
      m.expect(changed).toHaveSubscriptions('--^--!');
    }),
  );
});
