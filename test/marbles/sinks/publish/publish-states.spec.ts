import { marbles } from 'rxjs-marbles';
import { type Observable, NEVER, map, of } from 'rxjs';
import { describe, it } from 'vitest';
import type { LatchState, LatchVerdict } from '../../../../src/gate/latch.ts';
import type { PublishOptions } from '../../../../src/sinks/publish/publish-state.ts';
import { publishStates } from '../../../../src/sinks/publish/publish-states.ts';
import { publishedNames } from '../../../../src/sinks/publish/published-names.ts';
import { bundleOf } from '../../../fixtures/bundle-of.ts';

const options: PublishOptions = {
  enabled: true,
  compressionThreshold: 0,
  configFile: '/h',
  interval: 10_000,
};
const [a, b, c] = ['a', 'b', 'c'].map((id) => bundleOf(id)) as [
  ReturnType<typeof bundleOf>,
  ReturnType<typeof bundleOf>,
  ReturnType<typeof bundleOf>,
];
const latchOf = (more: Partial<LatchState>): LatchState => ({ mode: 'optimistic', pinned: false, ...more });
const accepted = (planId: string): LatchVerdict => ({ kind: 'accepted', planId });
const refused = (planId: string, message = 'no'): LatchVerdict => ({
  kind: 'refused',
  planId,
  findings: [{ message }],
});

/** `a x:b`: `a` is accepted, `b` refused. */
const run = (latch$: Observable<LatchState>, verdict$: Observable<LatchVerdict> = NEVER) =>
  publishStates({
    retained$: of(undefined),
    options$: of(options),
    latch$,
    verdict$,
    fleet$: NEVER,
    names: publishedNames('web'),
    refusalDelay: 3_000,
  }).pipe(
    map(({ accepted: render, refused: refusal, pinned }) =>
      [
        render === undefined ? '' : `${render.plan.id}@${Date.parse(render.validatedAt)}`,
        refusal === undefined ? '?' : refusal === 'none' ? 'ok' : `x:${refusal.plan.id} ${refusal.words}`,
        ...(pinned ? ['pinned'] : []),
      ]
        .filter((word) => word !== '')
        .join(' '),
    ),
  );

describe('publishStates', () => {
  it(
    'follows what is accepted, not what is rendered or let out, and knows since when',
    marbles((m) => {
      const latch = m.hot('  a--b--c--d--e', {
        a: latchOf({ newest: a }),
        b: latchOf({ newest: a, released: a, accepted: a }),
        c: latchOf({ newest: b, released: b, accepted: a }),
        d: latchOf({ newest: b, released: b, accepted: b }),
        e: latchOf({ newest: bundleOf('b'), accepted: bundleOf('b') }),
      });
      m.expect(run(latch), '^ 20ms !').toBeObservable('n--a-----b', {
        n: '?',
        a: 'a@3 ?',
        b: 'b@9 ?',
      });
      m.expect(latch).toHaveSubscriptions(['^ 20ms !', '^ 20ms !']);
    }),
  );

  it(
    'shows no refusal that is over soon: the object to blame is held back',
    marbles((m) => {
      const latch = m.cold(' a', { a: latchOf({ newest: b, accepted: a }) });
      const verdict = m.hot('-x 1s A', { x: refused('b'), A: accepted('b') });
      m.expect(run(latch, verdict), '^ 20s !').toBeObservable('n 1001ms a', {
        n: 'a@0 ?',
        a: 'a@0 ok',
      });
      m.expect(verdict).toHaveSubscriptions('^ 20s !');
    }),
  );

  it(
    'shows a refusal that lasts, though renders keep coming, with the newest words, until one is accepted',
    marbles((m) => {
      const latch = m.hot('  abc 7s d', {
        a: latchOf({ newest: a, accepted: a }),
        b: latchOf({ newest: b, accepted: a }),
        c: latchOf({ newest: c, accepted: a, pinned: true }),
        d: latchOf({ newest: c, accepted: c }),
      });
      const verdict = m.hot('---x 1s y 1s y 4s (A)', {
        x: refused('b'),
        y: refused('c', 'never'),
        A: accepted('c'),
      });
      m.expect(run(latch, verdict), '^ 20s !').toBeObservable('n-p 3000ms x 3002ms a 996ms c', {
        n: 'a@0 ?',
        p: 'a@0 ? pinned',
        x: 'a@0 x:c never pinned',
        a: 'a@0 ok pinned',
        c: 'c@7003 ok',
      });
    }),
  );

  it(
    'takes a check that could not run for no refusal',
    marbles((m) => {
      const latch = m.cold(' a', { a: latchOf({ newest: b, accepted: a }) });
      const unchecked: LatchVerdict = { kind: 'unchecked', planId: 'b' };
      const verdict = m.hot('-u', { u: unchecked });
      m.expect(run(latch, verdict), '^ 20s !').toBeObservable('n', { n: 'a@0 ?' });
    }),
  );
});
