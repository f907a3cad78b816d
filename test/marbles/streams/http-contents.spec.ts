import { marbles } from 'rxjs-marbles';
import { type Observable, NEVER, defer, map, merge, of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { FetchOutcome } from '../../../src/lib/http/fetch-outcome.ts';
import {
  type HttpContentsDeps,
  type HttpReport,
  createHttpContents,
} from '../../../src/streams/http-contents.ts';
import {
  anyPolicy,
  type Check,
  failedOutcome,
  httpScene,
  judge,
  printed,
  textOutcome,
} from '../../fixtures/http-scene.ts';

const timing = { sweep: 60_000, firstWait: 5_000, trialRetry: { min: 100, max: 1_000 } };
const a = 'https://lists.example/a';
const b = 'https://lists.example/b';
const judging: Check = (plan) => of(judge(plan));

/** A word for each report: `fetched a`. */
const words = map(({ kind, url }: HttpReport) => `${kind} ${url.slice(-1)}`);

function contentsWith(
  fetch: HttpContentsDeps['fetch'],
  check: Check = judging,
  options: Partial<HttpContentsDeps['timing']> = {},
) {
  return createHttpContents({ fetch, check, random: () => 0.5, timing: { ...timing, ...options } });
}

/** One fetch after the other; the last again and again. */
const scripted = (...all: readonly Observable<FetchOutcome>[]) => {
  let next = 0;
  return () => defer(() => all[Math.min(next++, all.length - 1)] ?? NEVER);
};

const texts: Record<string, FetchOutcome> = {
  o: textOutcome('one'),
  w: textOutcome('two'),
  h: textOutcome('three'),
  b: textOutcome('bad'),
  i: textOutcome('ill'),
  u: { kind: 'unchanged' },
  x: failedOutcome('answered 404'),
};

describe('createHttpContents', () => {
  it(
    'fetches what an item reads, and shows it once HAProxy has accepted it',
    marbles((m) => {
      const fetch = m.cold(' --(o|)', texts);
      const check = m.cold('   ---(v|)', { v: { kind: 'accepted' as const } });
      const unsub = '        ^--------!';
      const expected = '     --f--a----';
      const looks = m.hot('  ----t-t---', { t: 0 });
      const contents = contentsWith(
        () => fetch,
        () => check,
      );
      const scene = httpScene(contents);
      scene.item('a', { url: a, delay: '0' });
      expect(scene.turn()).toBe('');
      m.expect(contents.work$.pipe(words), unsub).toBeObservable(expected, {
        f: 'fetched a',
        a: 'accepted a',
      });
      m.expect(fetch).toHaveSubscriptions('^-!');
      m.expect(check).toHaveSubscriptions('--^--!');
      m.expect(looks.pipe(map(() => scene.turn())), unsub).toBeObservable('----s-t', { s: '', t: 'a: one.' });
    }),
  );

  it(
    'keeps the former content as long as the new one is tried, and for good if it is refused',
    marbles((m) => {
      const fetches = ['o', 'b', 'u'].map((text) => m.cold(`(${text}|)`, texts));
      const findings = [{ message: 'bad line' }];
      const slow = m.cold('  50ms (v|)', { v: { kind: 'refused' as const, findings } });
      const contents = contentsWith(scripted(...fetches), (plan) =>
        judge(plan).kind === 'refused' ? slow : judging(plan),
      );
      const scene = httpScene(contents);
      scene.item('a', { url: a });
      scene.turn();
      const unsub = '        ^ 2500ms !';
      const expected = '     (fa) 996ms f 49ms r 949ms u';
      m.expect(contents.work$.pipe(words), unsub).toBeObservable(expected, {
        f: 'fetched a',
        a: 'accepted a',
        r: 'refused a',
        u: 'unchanged a',
      });
      const looks = m.hot('-t 1018ms t 1s t', { t: 0 });
      m.expect(looks.pipe(map(() => scene.turn())), unsub).toBeObservable('-s 1018ms s 1s s', {
        s: 'a: one.',
      });
      m.expect(slow).toHaveSubscriptions('1s ^ 49ms !');
      m.flush();
      expect(scene.problems()).toStrictEqual([
        'warning ContentRefused https://lists.example/a: bad line; the former content stays in effect',
      ]);
      expect(contents.status()).toMatchObject([{ url: a, accepted: { bytes: 3 }, reason: 'ContentRefused' }]);
    }),
  );

  it(
    'lets a newer content take the place of one that waits, and judges each by its own text',
    marbles((m) => {
      const fetches = ['o', 'w', 'h', 'u'].map((text) => m.cold(`(${text}|)`, texts));
      const slow = m.cold('  1500ms (v|)', { v: { kind: 'accepted' as const } });
      const tried: string[] = [];
      const contents = contentsWith(scripted(...fetches), (plan) => {
        tried.push(printed(plan));
        return tried.length === 1 ? judging(plan) : slow;
      });
      const scene = httpScene(contents);
      scene.item('a', { url: a });
      scene.turn();
      const unsub = '        ^ 4600ms !';
      const expected = '     (fa) 996ms f 999ms f 499ms a 499ms u 999ms (au)';
      const looks = m.hot('  -t 1s t 1498ms t 2s t', { t: 0 });
      m.expect(contents.work$.pipe(words), unsub).toBeObservable(expected, {
        f: 'fetched a',
        a: 'accepted a',
        u: 'unchanged a',
      });
      m.expect(looks.pipe(map(() => scene.turn())), unsub).toBeObservable('-1 1s 1 1498ms 2 2s 3', {
        1: 'a: one.',
        2: 'a: two.',
        3: 'a: three.',
      });
      m.expect(slow).toHaveSubscriptions(['1s ^ 1499ms !', '2500ms ^ 1499ms !']);
      m.flush();
      expect(tried).toStrictEqual(['a: one.', 'a: two.', 'a: three.']);
    }),
  );

  it(
    'does not let a bad list keep back a good one',
    marbles((m) => {
      const contents = contentsWith(({ url }) => m.cold(`(${url === a ? 'b' : 'o'}|)`, texts));
      const scene = httpScene(contents);
      scene.item('a', { url: a, delay: '0' });
      scene.item('b', { url: b, delay: '0' });
      scene.turn();
      m.expect(contents.work$.pipe(words), '^ 10ms !').toBeObservable('(fgra)', {
        f: 'fetched a',
        g: 'fetched b',
        r: 'refused a',
        a: 'accepted b',
      });
      m.expect(m.hot('--t', { t: 0 }).pipe(map(() => scene.turn())), '^ 10ms !').toBeObservable('--s', {
        s: 'a: ., b: one.',
      });
      m.flush();
      expect(scene.problems()).toStrictEqual([
        'error ContentRefused https://lists.example/a: bad line',
        'warning ContentRefused a: https://lists.example/a: bad line',
      ]);
    }),
  );

  it(
    'tries again with growing pauses while no check can run, and at once when there is other content',
    marbles((m) => {
      const fetches = ['i', 'o', 'u'].map((text) => m.cold(`(${text}|)`, texts));
      const contents = contentsWith(scripted(...fetches), judging, { trialRetry: { min: 300, max: 10_000 } });
      const scene = httpScene(contents);
      scene.item('a', { url: a });
      scene.turn();
      const reports = { f: 'fetched a', a: 'accepted a' };
      // Tried at 0, 300, 900 and, of the newer content, at 1000 ms.
      m.expect(contents.work$.pipe(words), '^ 1500ms !').toBeObservable('f 999ms (fa)', reports);
    }),
  );

  it(
    'gives an empty text, with problems, where nothing can be had, and goes on trying',
    marbles((m) => {
      const fetches = ['x', 'x', 'o'].map((text) => m.cold(`(${text}|)`, texts));
      const contents = contentsWith(scripted(...fetches));
      const scene = httpScene(contents);
      scene.item('a', { url: a });
      scene.item('b', { url: a, critical: true });
      scene.turn();
      const looks = m.hot('-t 2s t', { t: 0 });
      m.expect(contents.work$.pipe(words), '^ 2100ms !').toBeObservable('x 999ms x 999ms (fa)', {
        x: 'failed a',
        f: 'fetched a',
        a: 'accepted a',
      });
      m.expect(looks.pipe(map(() => [scene.turn(), ...scene.problems()])), '^ 2100ms !').toBeObservable(
        '-x 2s o',
        {
          x: [
            'a: .',
            'error CriticalContentMissing b: https://lists.example/a: answered 404',
            'error FetchFailed https://lists.example/a: answered 404',
            'warning FetchFailed a: https://lists.example/a: answered 404',
          ],
          o: ['a: one., b: one.'],
        },
      );
    }),
  );

  it(
    'goes on showing the former content when a later fetch fails',
    marbles((m) => {
      const fetches = ['o', 'x'].map((text) => m.cold(`(${text}|)`, texts));
      const contents = contentsWith(scripted(...fetches));
      const scene = httpScene(contents);
      scene.item('a', { url: a });
      scene.turn();
      const looks = m.hot('- 1s t', { t: 0 });
      m.expect(contents.work$.pipe(words), '^ 1100ms !').toBeObservable('(fa) 996ms x', {
        f: 'fetched a',
        a: 'accepted a',
        x: 'failed a',
      });
      m.expect(looks.pipe(map(() => [scene.turn(), ...scene.problems()])), '^ 1100ms !').toBeObservable(
        '- 1s s',
        {
          s: [
            'a: one.',
            'warning FetchFailed https://lists.example/a: answered 404; the former content stays in effect',
          ],
        },
      );
    }),
  );

  it(
    'gives a URL up that nothing has read at two looks, and ends its fetch',
    marbles((m) => {
      const slow = m.cold('1m (o|)', texts);
      const contents = contentsWith(() => slow, judging, { sweep: 1_000 });
      const scene = httpScene(contents);
      scene.item('a', { url: a });
      scene.turn();
      const gone = m.hot(' 1500ms t', { t: 0 }).pipe(map(() => (scene.item('a'), scene.turn())));
      m.expect(contents.work$.pipe(words), '^ 5s !').toBeObservable('3s g', { g: 'given-up a' });
      m.expect(gone, '^ 5s !').toBeObservable('1500ms s', { s: '' });
      m.expect(slow).toHaveSubscriptions('^ 2999ms !');
      m.flush();
      expect(contents.status()).toStrictEqual([]);
      expect(scene.world.graph.stats().problems).toBe(0);
    }),
  );

  it(
    'fetches what is read again after it was given up',
    marbles((m) => {
      const fetch = m.cold('(o|)', texts);
      const contents = contentsWith(() => fetch, judging, { sweep: 1_000 });
      const scene = httpScene(contents);
      scene.item('a', { url: a, delay: '0' });
      scene.turn();
      const out = m.hot('100ms t', { t: 0 }).pipe(map(() => (scene.item('a'), scene.turn())));
      const back = m.hot('5s t', { t: 0 }).pipe(
        map(() => {
          scene.item('a', { url: a, delay: '0' });
          return scene.turn();
        }),
      );
      m.expect(merge(out, back), '^ 6s !').toBeObservable('100ms s 4899ms s', { s: '' });
      m.expect(contents.work$.pipe(words), '^ 6s !').toBeObservable('(fa) 1996ms g 2999ms (fa)', {
        f: 'fetched a',
        a: 'accepted a',
        g: 'given-up a',
      });
    }),
  );

  it(
    'fetches a URL once for all who read it, by the most demanding of them; with other credentials it is another one',
    marbles((m) => {
      const asked: string[] = [];
      const contents = contentsWith(({ headers, url }) => {
        asked.push([url.slice(-1), ...Object.values(headers)].join(' '));
        return m.cold('(o|)', texts);
      });
      const scene = httpScene(
        contents,
        anyPolicy,
        `{{#forEach resources.widgets as |w|}}
# {{w.metadata.name}}: {{{http w.spec.url delay=w.spec.delay auth="bearer" token=w.spec.token}}}
{{/forEach}}`,
      );
      scene.item('a', { url: a, token: 'x', delay: '1m' });
      scene.item('b', { url: a, token: 'x', delay: '3s' });
      scene.item('c', { url: a, token: 'y', delay: '0' });
      scene.turn();
      m.expect(contents.work$.pipe(map(({ kind }) => kind)), '^ 3500ms !').toBeObservable('(ffaa) 2994ms f', {
        f: 'fetched',
        a: 'accepted',
      });
      m.flush();
      expect(asked).toStrictEqual(['a Bearer x', 'a Bearer y', 'a Bearer x']);
      expect(JSON.stringify([contents.status(), scene.problems()])).not.toContain('Bearer');
    }),
  );

  it(
    'asks for no host that the configuration does not allow, and for no more URLs than it allows',
    marbles((m) => {
      const asked: string[] = [];
      const contents = contentsWith(({ url }) => {
        asked.push(url);
        return m.cold('(o|)', texts);
      });
      const policy = { ...anyPolicy, allowedHosts: ['lists.example'], maxEntries: 2 };
      const scene = httpScene(contents, policy);
      scene.item('a', { url: 'http://elsewhere.example/a' });
      scene.item('b', { url: b });
      scene.item('c', { url: a });
      scene.turn();
      const looks = m.hot('--t-t', { t: 0 });
      m.expect(merge(contents.work$, NEVER).pipe(words), '^ 10ms !').toBeObservable('f-a', {
        f: 'fetched b',
        a: 'accepted b',
      });
      m.expect(looks.pipe(map(() => scene.turn())), '^ 10ms !').toBeObservable('--r-s', {
        r: 'a: ., c: .',
        s: 'a: ., b: one., c: .',
      });
      m.flush();
      expect(asked).toStrictEqual([b]);
      expect(scene.problems().filter((problem) => problem.startsWith('error'))).toStrictEqual([
        'error AddressRefused http://elsewhere.example/a: the host elsewhere.example is not among those that may be asked',
        'error TooManyUrls https://lists.example/a: more than 2 URLs are read',
      ]);
    }),
  );

  it(
    'holds no more text than it may: gives up what nothing reads, else keeps the former',
    marbles((m) => {
      const long = textOutcome('x'.repeat(60));
      const contents = contentsWith(({ url }) =>
        url === a ? m.cold('(o|)', { o: long }) : m.cold('10ms (o|)', { o: long }),
      );
      const scene = httpScene(contents, { ...anyPolicy, maxTotalBytes: 100 });
      scene.item('a', { url: a, delay: '0' });
      scene.item('b', { url: b, delay: '0' });
      scene.turn();
      const out = m.hot('--t 5s o 6s t 99ms t', { t: 'turn', o: 'out' }).pipe(
        map((step) => {
          if (step === 'out') scene.item('a');
          scene.turn();
          return scene.problems().join();
        }),
      );
      m.expect(contents.work$.pipe(words), '^ 12s !').toBeObservable('(fa) 6ms x 9999ms 10ms (gn) 980ms b', {
        f: 'fetched a',
        a: 'accepted a',
        x: 'failed b',
        g: 'given-up a',
        n: 'fetched b',
        b: 'accepted b',
      });
      m.expect(scene.changed$.pipe(map(() => 'c')), '^ 12s !').toBeObservable('c 9ms c 10009ms c 983ms c');
      m.expect(out, '^ 12s !').toBeObservable('--t 5s o 6s o 99ms n', {
        n: '',
        t: 'error ContentPending b: https://lists.example/b was not fetched yet',
        o: [
          'error TooMuchContent https://lists.example/b: with it the texts of all URLs would be longer than 100 bytes together',
          'warning TooMuchContent b: https://lists.example/b: with it the texts of all URLs would be longer than 100 bytes together',
        ].join(),
      });
      m.flush();
      expect(contents.status()).toMatchObject([{ url: b, accepted: { bytes: 60 } }]);
    }),
  );

  it(
    'shows what is there to a configuration that is only asked about, and fetches nothing for it',
    marbles((m) => {
      const fetch = m.cold('(o|)', texts);
      const contents = contentsWith(() => fetch);
      const former = httpScene(contents);
      former.item('a', { url: a, delay: '0' });
      former.turn();
      let later: ReturnType<typeof httpScene> | undefined;
      const steps = m.hot('--j-t-l', { j: 'join', t: 'turn', l: 'leave' }).pipe(
        map((step) => {
          if (step === 'leave') later?.world.dispose();
          if (step === 'join') {
            later = httpScene({ ...contents, join: contents.look });
            later.item('b', { url: a, delay: '0' });
            later.item('c', { url: b, delay: '0' });
          }
          return `${later?.turn() ?? ''} ${later?.first.isSettled() === true ? 'settled' : ''}`;
        }),
      );
      m.expect(contents.work$.pipe(words), '^ 10ms !').toBeObservable('(fa)', {
        f: 'fetched a',
        a: 'accepted a',
      });
      m.expect(steps, '^ 10ms !').toBeObservable('--e-s-s', { e: ' ', s: 'b: one. settled' });
      m.expect(fetch).toHaveSubscriptions('(^!)');
      m.flush();
      expect(contents.status()).toHaveLength(1);
    }),
  );

  it(
    'has content that was accepted before for another configuration at once, and none any more for one that has left',
    marbles((m) => {
      const fetch = m.cold('(o|)', texts);
      const contents = contentsWith(() => fetch);
      const former = httpScene(contents);
      former.item('a', { url: a, delay: '0' });
      former.turn();
      let later: ReturnType<typeof httpScene> | undefined;
      const steps = m.hot('--j-t-l', { j: 'join', t: 'turn', l: 'leave' }).pipe(
        map((step) => {
          if (step === 'leave') former.world.dispose();
          if (step !== 'join') return later?.turn();
          later = httpScene(contents);
          later.item('b', { url: a, delay: '0' });
          return later.turn();
        }),
      );
      m.expect(contents.work$.pipe(words), '^ 10ms !').toBeObservable('(fa)', {
        f: 'fetched a',
        a: 'accepted a',
      });
      m.expect(steps, '^ 10ms !').toBeObservable('--e-s-s', { e: '', s: 'b: one.' });
      m.expect(fetch).toHaveSubscriptions('(^!)');
      m.flush();
      expect(contents.status()).toHaveLength(1);
    }),
  );

  it(
    'fetches nothing that is read in what-ifs alone, and nothing sooner for them',
    marbles((m) => {
      const asked: string[] = [];
      const contents = contentsWith(({ url }) => {
        asked.push(url);
        return m.cold('(o|)', texts);
      });
      const scene = httpScene(contents, { ...anyPolicy, maxEntries: 2 });
      scene.item('a', { url: a, delay: '0' });
      scene.turn();
      const looks = m.hot('-tw-b', { t: 'turn', w: 'what if', b: 'more' }).pipe(
        map((step) => {
          if (step === 'turn') return scene.turn();
          if (step !== 'what if') {
            scene.item('b', { url: b, delay: '0' });
            return scene.turn();
          }
          return scene
            .whatIf({
              b: { url: b, delay: '1s' },
              ...{ c: { url: `${b}c` }, d: { url: `${b}d` }, e: { url: a, delay: '1s' } },
            })
            .join(', ');
        }),
      );
      m.expect(contents.work$.pipe(words), '^ 3s !').toBeObservable('(fa)(gb)', {
        f: 'fetched a',
        a: 'accepted a',
        g: 'fetched b',
        b: 'accepted b',
      });
      m.expect(looks, '^ 3s !').toBeObservable('-tw-t', {
        w: [
          'ContentPending b: https://lists.example/b was not fetched yet',
          'ContentPending c: https://lists.example/bc was not fetched yet',
          'ContentPending d: https://lists.example/bd was not fetched yet',
        ].join(', '),
        t: 'a: one.',
      });
      m.flush();
      expect(asked).toStrictEqual([a, b]);
      expect(contents.status()).toMatchObject([
        { url: a, refreshMs: 0 },
        { url: b, refreshMs: 0 },
      ]);
    }),
  );

  it(
    'takes a text that names further URLs, and fetches those',
    marbles((m) => {
      const contents = contentsWith(({ url }) => {
        const text = url === a ? textOutcome(b) : textOutcome('two');
        return m.cold('(t|)', { t: text });
      });
      const scene = httpScene(
        contents,
        anyPolicy,
        `{{#forEach resources.widgets as |w|}}
# {{w.metadata.name}}: {{#each (lines (http w.spec.url)) as |line|}}{{{http line}}}{{/each}}.
{{/forEach}}`,
      );
      scene.item('a', { url: a });
      scene.turn();
      const looks = m.hot('--t 200ms t', { t: 0 });
      m.expect(contents.work$.pipe(words), '^ 250ms !').toBeObservable('(fgab)', {
        f: 'fetched a',
        a: 'accepted a',
        g: 'fetched b',
        b: 'accepted b',
      });
      m.expect(looks.pipe(map(() => scene.turn())), '^ 250ms !').toBeObservable('--s 200ms s', {
        s: 'a: two.',
      });
    }),
  );

  it(
    'judges a text by those that can be printed with it, though another one that reads it fails',
    marbles((m) => {
      const contents = contentsWith(() => m.cold('(o|)', texts));
      const scene = httpScene(contents);
      scene.item('a', { url: a, delay: '0' });
      scene.item('b', { url: a, delay: '0', more: 'two words' });
      scene.turn();
      m.expect(contents.work$.pipe(words), '^ 20ms !').toBeObservable('(fa)', {
        f: 'fetched a',
        a: 'accepted a',
      });
      m.expect(m.hot('--t', { t: 0 }).pipe(map(() => scene.turn())), '^ 20ms !').toBeObservable('--s', {
        s: 'a: one.',
      });
    }),
  );

  it(
    'does not take a text for good that nothing reads when it is tried',
    marbles((m) => {
      const fetch = m.cold('--(x|)', { x: textOutcome('bad') });
      const contents = contentsWith(() => fetch);
      const scene = httpScene(contents);
      scene.item('a', { url: a, delay: '0' });
      scene.turn();
      const steps = m.hot('-o--t-i-t', { o: 'out', t: 'turn', i: 'in' }).pipe(
        map((step) => {
          if (step === 'out') scene.item('a');
          if (step === 'in') scene.item('a', { url: a, delay: '0' });
          return scene.turn();
        }),
      );
      m.expect(contents.work$.pipe(words), '^ 20ms !').toBeObservable('--(fu)r', {
        f: 'fetched a',
        u: 'unseen a',
        r: 'refused a',
      });
      m.expect(steps, '^ 20ms !').toBeObservable('-e--e-e-x', { e: '', x: 'a: .' });
    }),
  );

  it(
    'does not show a content whose only reader fails, and tries it when that reads it again',
    marbles((m) => {
      const contents = contentsWith(() => m.cold('(o|)', texts));
      const scene = httpScene(
        contents,
        anyPolicy,
        `{{#forEach resources.widgets as |w|}}
# {{w.metadata.name}}: {{{http w.spec.url}}}{{w.spec.word}}
{{/forEach}}`,
      );
      scene.item('a', { url: a, word: 'two words' });
      scene.turn();
      const steps = m.hot('--t-m-t-t', { t: '', m: 'mend' }).pipe(
        map((step) => {
          if (step === 'mend') scene.item('a', { url: a, word: 'fine' });
          return scene.turn();
        }),
      );
      m.expect(contents.work$.pipe(words), '^ 20ms !').toBeObservable('(fs)(a)', {
        f: 'fetched a',
        s: 'unseen a',
        a: 'accepted a',
      });
      m.expect(steps, '^ 20ms !').toBeObservable('--e-e-s-s', { e: '', s: 'a: onefine' });
    }),
  );

  it(
    'ends all that is under way when nobody listens any more',
    marbles((m) => {
      const fetch = m.cold('----(o|)', texts);
      const contents = contentsWith(() => fetch);
      const scene = httpScene(contents);
      scene.item('a', { url: a });
      scene.turn();
      m.expect(contents.work$, '^--!').toBeObservable('---');
      m.expect(fetch).toHaveSubscriptions('^--!');
    }),
  );
});
