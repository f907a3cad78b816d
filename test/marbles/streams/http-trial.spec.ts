import { marbles } from 'rxjs-marbles';
import { type Observable, map } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { Plan } from '../../../src/protocol/plan.ts';
import type { HttpText } from '../../../src/streams/http-entry.ts';
import {
  type HttpPreview,
  type HttpTrialResults,
  type TrialVerdict,
  httpTrial,
} from '../../../src/streams/http-trial.ts';
import { bundleOf } from '../../fixtures/bundle-of.ts';

const text = (words: string): HttpText => ({ text: words, digest: words, bytes: words.length });
/** `a=one b=two`: texts by key. */
const contentsOf = (pairs: string): ReadonlyMap<string, HttpText> =>
  new Map(
    pairs
      .split(' ')
      .filter((pair) => pair !== '')
      .map((pair) => pair.split('='))
      .map(([key = '', words = '']) => [key, text(words)]),
  );
const planOf = (pairs: string): Plan => bundleOf(pairs).plan;
const written = (contents: ReadonlyMap<string, HttpText>): string =>
  [...contents].map(([key, { text: words }]) => `${key}=${words}`).join(' ');

/** A render that prints what it is given after its base; texts `fault…` make an item fail, `same` is not printed, `odd`, `wait` and `lone` cannot be judged. */
const previewOver =
  (base = 'base') =>
  (contents: ReadonlyMap<string, HttpText>): HttpPreview => {
    const of = (word: string) => [...contents].filter(([, { text: words }]) => words.startsWith(word));
    const shown = [...contents].filter(([, { text: words }]) => !/^(?:same|odd|wait|lone)$/.test(words));
    return {
      base: planOf(base),
      plan: planOf(shown.length === 0 ? base : `${base} ${written(new Map(shown))}`),
      faults: of('fault').map(([key, { text: words }]) => `${key} failed: ${words}`),
      silent: new Map([
        ...of('odd').map(([key]) => [key, 'failed'] as const),
        ...of('wait').map(([key]) => [key, 'pending'] as const),
        ...of('lone').map(([key]) => [key, 'unread'] as const),
      ]),
    };
  };

const brief = map((results: HttpTrialResults) =>
  Object.fromEntries(
    [...results].map(([key, result]) => {
      if (result.kind === 'refused' || result.kind === 'unseen')
        return [key, `${result.kind}: ${result.message}`];
      return [key, result.kind === 'postponed' ? `postponed: ${result.why}` : result.kind];
    }),
  ),
);

/** What was checked, in order; answers after 2 ms each. */
function checker(m: {
  cold: (marble: string, values: Record<string, TrialVerdict>) => Observable<TrialVerdict>;
}) {
  const asked: string[] = [];
  const check = ({ id }: Plan): Observable<TrialVerdict> => {
    asked.push(id);
    const verdict: TrialVerdict = id.includes('ill')
      ? { kind: 'unchecked' }
      : id.includes('bad')
        ? { kind: 'refused', findings: [{ message: 'bad words' }, { message: 'and more' }] }
        : { kind: 'accepted' };
    return m.cold('--(v|)', { v: verdict });
  };
  return { check, asked };
}

const known = { isFirst: () => false };

describe('httpTrial', () => {
  it(
    'accepts all that HAProxy accepts, by one check',
    marbles((m) => {
      const { check, asked } = checker(m);
      const trial$ = httpTrial(contentsOf('a=one b=two'), { ...known, check, preview: previewOver() });
      m.expect(trial$.pipe(brief)).toBeObservable('--(r|)', { r: { a: 'accepted', b: 'accepted' } });
      m.flush();
      expect(asked).toStrictEqual(['base a=one b=two']);
    }),
  );

  it(
    'refuses one with which HAProxy refuses, if it accepts the render without it',
    marbles((m) => {
      const { check, asked } = checker(m);
      const trial$ = httpTrial(contentsOf('a=bad'), { ...known, check, preview: previewOver() });
      m.expect(trial$.pipe(brief)).toBeObservable('----(r|)', { r: { a: 'refused: bad words' } });
      m.flush();
      expect(asked).toStrictEqual(['base a=bad', 'base']);
    }),
  );

  it(
    'finds the bad ones by halves and accepts all others, also where they are many',
    marbles((m) => {
      const { check, asked } = checker(m);
      const some = contentsOf('a=1 b=2 c=bad d=4 e=5 f=6 g=bad h=8');
      const trial$ = httpTrial(some, { ...known, check, preview: previewOver() }).pipe(brief);
      const results: Record<string, string>[] = [];
      m.expect(trial$.pipe(map((result) => results.push(result) && 'r'))).toBeObservable('24ms (r|)');
      m.flush();
      expect(results).toStrictEqual([
        {
          ...Object.fromEntries(['a', 'b', 'd', 'e', 'f', 'h'].map((key) => [key, 'accepted'])),
          c: 'refused: bad words',
          g: 'refused: bad words',
        },
      ]);
      expect(asked.filter((id) => id === 'base a=1 b=2')).toHaveLength(1);
      expect(asked.at(-1)).toBe('base a=1 b=2 d=4 e=5 f=6 h=8');
    }),
  );

  it(
    'says nothing about contents where the render is refused without them too',
    marbles((m) => {
      const { check, asked } = checker(m);
      const preview = previewOver('bad-base');
      const trial$ = httpTrial(contentsOf('a=one b=bad'), { ...known, check, preview });
      const r = { a: 'postponed: base', b: 'postponed: base' };
      m.expect(trial$.pipe(brief)).toBeObservable('----(r|)', { r });
      m.flush();
      expect(asked).toHaveLength(2);
    }),
  );

  it(
    'says nothing where no check can run',
    marbles((m) => {
      const { check } = checker(m);
      const trial$ = httpTrial(contentsOf('a=ill'), { ...known, check, preview: previewOver() });
      m.expect(trial$.pipe(brief)).toBeObservable('--(r|)', { r: { a: 'postponed: unchecked' } });
    }),
  );

  it(
    'says nothing where nothing can be rendered at this moment, and checks nothing',
    marbles((m) => {
      const { check, asked } = checker(m);
      const trial$ = httpTrial(contentsOf('a=one'), { ...known, check, preview: () => undefined });
      m.expect(trial$.pipe(brief)).toBeObservable('(r|)', { r: { a: 'postponed: moment' } });
      m.flush();
      expect(asked).toStrictEqual([]);
    }),
  );

  it(
    'refuses one with which a template fails, without a check of it',
    marbles((m) => {
      const { check, asked } = checker(m);
      const trial$ = httpTrial(contentsOf('a=fault b=two'), { ...known, check, preview: previewOver() });
      m.expect(trial$.pipe(brief)).toBeObservable('--(r|)', {
        r: { a: 'refused: a failed: fault', b: 'accepted' },
      });
      m.flush();
      expect(asked).toStrictEqual(['base b=two']);
    }),
  );

  it(
    'does not blame a first content for an item that fails the same way with an empty one',
    marbles((m) => {
      const { check } = checker(m);
      const preview = (contents: ReadonlyMap<string, HttpText>): HttpPreview => ({
        ...previewOver()(contents),
        faults: ['a has a wrong color'],
        silent: new Map([['a', 'failed']]),
      });
      const first = httpTrial(contentsOf('a=one'), { isFirst: () => true, check, preview });
      m.expect(first.pipe(brief)).toBeObservable('(r|)', { r: { a: 'unseen: a has a wrong color' } });
      const later = httpTrial(contentsOf('a=one'), { ...known, check, preview });
      m.expect(later.pipe(brief)).toBeObservable('(r|)', { r: { a: 'refused: a has a wrong color' } });
    }),
  );

  it(
    'says nothing about one that only items read which fail anyway, and judges the others',
    marbles((m) => {
      const { check, asked } = checker(m);
      const trial$ = httpTrial(contentsOf('a=odd b=two c=wait d=lone'), {
        ...known,
        check,
        preview: previewOver(),
      });
      m.expect(trial$.pipe(brief)).toBeObservable('--(r|)', {
        r: {
          a: 'unseen: what reads it fails for another reason',
          b: 'accepted',
          c: 'postponed: content',
          d: 'unseen: nothing reads it',
        },
      });
      m.flush();
      expect(asked).toStrictEqual(['base b=two']);
    }),
  );

  it(
    'accepts without a check what changes nothing of what is printed',
    marbles((m) => {
      const { check, asked } = checker(m);
      const trial$ = httpTrial(contentsOf('a=same'), { ...known, check, preview: previewOver() });
      m.expect(trial$.pipe(brief)).toBeObservable('(r|)', { r: { a: 'accepted' } });
      m.flush();
      expect(asked).toStrictEqual([]);
    }),
  );

  it(
    'ends the check when nobody waits for it any more',
    marbles((m) => {
      const slow = m.cold<TrialVerdict>('-----(v|)', { v: { kind: 'accepted' } });
      const trial$ = httpTrial(contentsOf('a=one'), { ...known, check: () => slow, preview: previewOver() });
      m.expect(trial$, '^--!').toBeObservable('---');
      m.expect(slow).toHaveSubscriptions('^--!');
    }),
  );
});
