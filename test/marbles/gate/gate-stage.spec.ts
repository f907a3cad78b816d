import { marbles } from 'rxjs-marbles';
import { type Observable, ReplaySubject, map, share, tap } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { type GateReport, type GateStageOptions, gateStage } from '../../../src/gate/gate-stage.ts';
import type { LatchVerdict } from '../../../src/gate/latch.ts';
import { quarantinedObjects } from '../../../src/gate/quarantine-state.ts';
import { emptyOrderedMap } from '../../../src/lib/ordered-map.ts';
import type { Bundle } from '../../../src/protocol/bundle.ts';
import { bundleOf } from '../../fixtures/bundle-of.ts';
import { keepOutputs } from '../../fixtures/keep-outputs.ts';
import { createHeldRenderer, fakeVerdict } from '../../fixtures/held-renderer.ts';

const bundles = { a: bundleOf('a'), b: bundleOf('b'), c: bundleOf('c') };
const verdict = (planId: string, kind: LatchVerdict['kind']): LatchVerdict => ({ planId, kind });
const values = { A: verdict('', 'accepted'), u: verdict('', 'unchecked'), x: verdict('', 'refused') };
const options = { interval: 0, retry: { min: 4, max: 8 }, running: () => new Set<string>() };
const kinds = map((report: GateReport<LatchVerdict>) => {
  const letter = { accepted: 'A', refused: 'x', unchecked: 'u' }[report.verdict.kind];
  return report.about === 'render' ? letter : `${report.about} ${letter}`;
});
const trials = { T: 'trial A', t: 'trial x', v: 'trial u', O: 'overtaken A' };

describe('gateStage', () => {
  it(
    'checks one render at a time, the newest next, and skips those in between',
    marbles((m) => {
      const check = m.cold('     ---A|', values);
      const seen: string[] = [];
      const bundle$ = m.hot('   abc-----------|', bundles);
      const expected = '        ---A---A------|';
      const stage = gateStage({ ...options, check: (plan) => (seen.push(plan.id), check) });
      m.expect(bundle$.pipe(stage, kinds)).toBeObservable(expected);
      m.expect(check).toHaveSubscriptions(['^---!', '----^---!']);
      m.expect(bundle$).toHaveSubscriptions('^-------------!');
      m.flush();
      expect(seen).toEqual(['a', 'c']);
    }),
  );

  it(
    'leaves an interval between the starts of two checks, and takes the newest after it',
    marbles((m) => {
      const check = m.cold('     -A|', values);
      const bundle$ = m.hot('   a-b-c--------a-----|', bundles);
      const expected = '        -A----A-------A----|';
      const stage = gateStage({ ...options, interval: 5, check: () => check });
      m.expect(bundle$.pipe(stage, kinds)).toBeObservable(expected);
      m.expect(check).toHaveSubscriptions(['^-!', '-----^-!', '-------------^-!']);
    }),
  );

  it(
    'takes another interval at once, also for a wait that has begun',
    marbles((m) => {
      const check = m.cold('     A|', values);
      const source = m.hot('    -i----------s-----------', { i: 100, s: 2 });
      const interval = source.pipe(
        share({ connector: () => new ReplaySubject(1), resetOnRefCountZero: false }),
      );
      const bundle$ = m.hot('   a-b---------------c-a---', bundles);
      const expected = '        A-----------A-----A-A---';
      const stage = gateStage({ ...options, interval, check: () => check });
      m.expect(bundle$.pipe(stage, kinds), '^-----------------------!').toBeObservable(expected);
      m.expect(source).toHaveSubscriptions('-^----------------------');
    }),
  );

  it(
    'repeats a check that could not run, with growing delays, until it can',
    marbles((m) => {
      const unable = m.cold('   (u|)', values);
      const able = m.cold('     (A|)', values);
      let attempts = 0;
      const bundle$ = m.hot('   a-------------------------|', bundles);
      const expected = '        u---u-------u-------A-----|';
      const stage = gateStage({ ...options, check: () => (++attempts < 4 ? unable : able) });
      m.expect(bundle$.pipe(stage, kinds)).toBeObservable(expected);
      m.expect(unable).toHaveSubscriptions(['(^!)', '----(^!)', '------------(^!)']);
      m.expect(able).toHaveSubscriptions('--------------------(^!)');
    }),
  );

  it(
    'leaves a check that cannot run for a newer render at once',
    marbles((m) => {
      const unable = m.cold('   (u|)', values);
      const able = m.cold('       -A|', values);
      const bundle$ = m.hot('   a-b-------|', bundles);
      const expected = '        u--A------|';
      const stage = gateStage({ ...options, check: (plan) => (plan.id === 'a' ? unable : able) });
      m.expect(bundle$.pipe(stage, kinds)).toBeObservable(expected);
      m.expect(unable).toHaveSubscriptions('(^!)');
      m.expect(able).toHaveSubscriptions('  --^-!');
    }),
  );

  it(
    'cancels the running check when unsubscribed',
    marbles((m) => {
      const check = m.cold('     ------A|', values);
      const bundle$ = m.hot('   a--------', bundles);
      m.expect(bundle$.pipe(gateStage({ ...options, check: () => check })), '^--!').toBeObservable('----');
      m.expect(check).toHaveSubscriptions('^--!');
    }),
  );

  it(
    'checks a render that was overtaken when some pod runs it and nothing newer waits',
    marbles((m) => {
      const check = m.cold('     ---A|', values);
      const seen: string[] = [];
      const bundle$ = m.hot('   abc------------|', bundles);
      const expected = '        ---A---A---O---|';
      const running = () => new Set(['a', 'b']);
      const stage = gateStage({ ...options, running, check: (plan) => (seen.push(plan.id), check) });
      m.expect(bundle$.pipe(stage, kinds)).toBeObservable(expected, { A: 'A', ...trials });
      m.expect(check).toHaveSubscriptions(['^---!', '----^---!', '--------^---!']);
      m.flush();
      expect(seen).toEqual(['a', 'c', 'b']);
    }),
  );

  describe('with objects to hold', () => {
    /** Renders what is written under what the gate holds, like the pipeline; a check takes 2 ms. */
    const scene = (
      m: Parameters<Parameters<typeof marbles>[0]>[0],
      change: Pick<Partial<GateStageOptions<LatchVerdict>>, 'interval' | 'recall'> = {},
    ) => {
      const renderer = createHeldRenderer();
      const checked: string[] = [];
      let held: GateReport<LatchVerdict>['state'] | undefined;
      const rendered = (words: string): Bundle => {
        renderer.write(words);
        renderer.hold(held?.quarantine ?? new Map());
        return renderer.bundle();
      };
      const check$ = (plan: Bundle['plan']): Observable<LatchVerdict> => {
        checked.push(plan.id);
        return m.cold('--(v|)').pipe(map(() => fakeVerdict(plan)));
      };
      const stage = gateStage<LatchVerdict>({ ...options, ...change, check: check$ });
      return {
        checked,
        heldNow: () => (held === undefined ? [] : quarantinedObjects(held).map(({ owner }) => owner.name)),
        run: (words$: Observable<string>) =>
          words$.pipe(
            map(rendered),
            stage,
            tap(({ state }) => (held = state)),
            kinds,
          ),
      };
    };

    it(
      'asks once what was accepted before this process, when a first render is refused, and holds objects at that',
      marbles((m) => {
        const former = createHeldRenderer();
        former.write('a=1 b=1');
        const kept = keepOutputs(former.bundle().provenance?.outputs ?? emptyOrderedMap());
        const recall$ = m.cold('  ---(k|)', { k: kept });
        const { run, checked, heldNow } = scene(m, { recall: () => recall$ });
        const words$ = m.hot('   a------b----c-----|', { a: 'a=bad b=1', b: 'b=2', c: 'b=bad c=bad' });
        const expected = '        -----x---A----x---|';
        m.expect(run(words$)).toBeObservable(expected, { A: 'A', x: 'x' });
        m.expect(recall$).toHaveSubscriptions('--^--!');
        m.flush();
        expect(checked).toEqual(['a=bad b=1', 'a=1 b=2', 'a=1 b=bad c=bad']);
        expect(heldNow()).toEqual(['a', 'b', 'c']);
      }),
    );

    it(
      'asks nobody when a first render is accepted, and ends asking with its subscriber',
      marbles((m) => {
        const recall$ = m.cold('  -----k', { k: undefined });
        const good = scene(m, { recall: () => recall$ });
        const good$ = m.hot('    a---b---|', { a: 'a=1', b: 'a=bad' });
        m.expect(good.run(good$)).toBeObservable('--A---x-|', { A: 'A', x: 'x' });
        const bad = scene(m, { recall: () => recall$ });
        m.expect(bad.run(m.hot('--a-----').pipe(map(() => 'a=bad'))), '^-----!').toBeObservable('------');
        m.expect(recall$).toHaveSubscriptions('----^-!');
      }),
    );

    it(
      'checks the render without the object that is refused as soon as it comes, whatever the interval',
      marbles((m) => {
        const { run, checked, heldNow } = scene(m, { interval: 20 });
        const words$ = m.hot('   a--------------------b---c----d---------------|', {
          a: 'a=1 b=1',
          b: 'a=bad b=2',
          c: '',
          d: 'b=3',
        });
        //                       d is no other quarantine: it waits for its turn
        const expected = '       --A 20ms x---A 19ms A 17ms |';
        m.expect(run(words$)).toBeObservable(expected, { A: 'A', x: 'x' });
        m.expect(words$).toHaveSubscriptions('^---------------------------------------------!');
        m.flush();
        expect(checked).toEqual(['a=1 b=1', 'a=bad b=2', 'a=1 b=2', 'a=1 b=3']);
        expect(heldNow()).toEqual(['a']);
      }),
    );

    it(
      'does not refuse again what was rendered before the object was held: a render without it is on its way',
      marbles((m) => {
        const { run, checked } = scene(m);
        const words$ = m.hot('   a----bc-d-----|', { a: 'a=1', b: 'a=bad', c: 'b=1', d: 'b=2' });
        const expected = '       --A----x--A---|';
        m.expect(run(words$)).toBeObservable(expected, { A: 'A', x: 'x' });
        m.flush();
        expect(checked).toEqual(['a=1', 'a=bad', 'a=1 b=2']);
      }),
    );

    it(
      'checks it nevertheless when no such render comes',
      marbles((m) => {
        const { run, checked } = scene(m);
        const words$ = m.hot('   a----bc---------|', { a: 'a=1', b: 'a=bad', c: 'b=1' });
        //                       4 ms after b is refused, and 2 for the check
        const expected = '       --A----x-----x--|';
        m.expect(run(words$)).toBeObservable(expected, { A: 'A', x: 'x' });
        m.flush();
        expect(checked).toEqual(['a=1', 'a=bad', 'a=bad b=1']);
      }),
    );

    it(
      'tries a held object out beside the release when it says something new, and lets it go',
      marbles((m) => {
        const { run, checked, heldNow } = scene(m);
        const words$ = m.hot('   a----b----c----d-----e---|', {
          a: 'a=1',
          b: 'a=bad',
          c: '',
          d: 'a=2',
          e: '',
        });
        const expected = '       --A----x----A----A-T---A-|';
        m.expect(run(words$)).toBeObservable(expected, { A: 'A', x: 'x', ...trials });
        m.flush();
        expect(checked).toEqual(['a=1', 'a=bad', 'a=1', 'a=1', 'a=2', 'a=2']);
        expect(heldNow()).toEqual([]);
      }),
    );

    it(
      'goes on halving while nothing newer waits',
      marbles((m) => {
        const { run, checked, heldNow } = scene(m);
        const words$ = m.hot('   a----b----c------d--------e---|', {
          a: 'a=1 b=1 c=1',
          b: 'a=2 b=ill c=2',
          c: '',
          d: '',
          e: '',
        });
        const expected = '       --A----x----A-T----A-t-T----A-|';
        m.expect(run(words$)).toBeObservable(expected, { A: 'A', x: 'x', ...trials });
        m.flush();
        expect(checked).toEqual([
          ...['a=1 b=1 c=1', 'a=2 b=ill c=2', 'a=1 b=1 c=1', 'a=2 b=1 c=1'],
          ...['a=2 b=1 c=1', 'a=2 b=ill c=1', 'a=2 b=1 c=2', 'a=2 b=1 c=2'],
        ]);
        expect(heldNow()).toEqual(['b']);
      }),
    );
  });
});
