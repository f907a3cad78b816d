import { marbles } from 'rxjs-marbles';
import { map, type Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { watchResource } from '../../../src/streams/watch-resource.ts';
import {
  added,
  failed,
  marblePolicy,
  marker,
  modified,
  opened,
  scriptedApi,
  text,
  type ScriptedAnswer,
} from '../../fixtures/kube-stream.ts';

const items = {
  o: opened,
  S: text(added('a@1'), marker('5')),
  m: text(modified('a@6')),
  B: text(modified('a@7'), modified('a@8'), modified('a@9')),
  f: failed(403),
  n: failed(404),
};

function watched(debounceInterval: string | undefined, ...answers: readonly ScriptedAnswer[]) {
  return watchedUntil(undefined, debounceInterval, ...answers);
}

function watchedUntil(
  stop$: Observable<unknown> | undefined,
  debounceInterval: string | undefined,
  ...answers: readonly ScriptedAnswer[]
) {
  const notices: string[] = [];
  const store = new Map<string, KubeObject>();
  const token$ = watchResource(
    {
      open: scriptedApi(answers),
      random: () => 0.5,
      ...(stop$ === undefined ? {} : { stop$ }),
      policy: { ...marblePolicy, idleMargin: 1_000_000 },
      notice: ({ kind, resource }) => void notices.push(`${resource} ${kind}`),
      store: () => ({
        set: (key, value) => void store.set(key, value),
        delete: (key) => void store.delete(key),
        replace: (entries) => {
          store.clear();
          for (const [key, value] of entries) store.set(key, value);
        },
      }),
    },
    'widgets',
    {
      apiVersion: 'example.com/v1',
      resources: 'widgets',
      ...(debounceInterval === undefined ? {} : { debounceInterval }),
    },
  ).pipe(
    map(({ kind, revision }) => {
      const version = store.get('ns/a')?.metadata.resourceVersion ?? 'nothing';
      return `${kind} ${revision} holding ${version}`;
    }),
  );
  return { token$, notices };
}

const tokens = {
  s: 'synced 1 holding 1',
  m: 'changed 2 holding 6',
  B: 'changed 4 holding 9',
  t: 'changed 5 holding 9',
  u: 'changed 6 holding 6',
  A: 'absent 0 holding nothing',
  D: 'degraded 1 holding 1',
};

describe('watchResource', () => {
  it(
    'passes the first token at once and then the newest one per window',
    marbles((m) => {
      const watch = m.cold('  o-S-mB-------m---', items);
      const subs = '          ^ 29ms !';
      const expected = '      --s-------t-------u';
      const { token$ } = watched('8ms', ['watch', watch]);
      m.expect(token$, subs).toBeObservable(expected, tokens);
      m.expect(watch).toHaveSubscriptions('^ 30029ms !');
    }),
  );

  it(
    'has a window of 100 ms unless told otherwise',
    marbles((m) => {
      const watch = m.cold('  o-S-m', items);
      const subs = '          ^ 149ms !';
      const { token$ } = watched(undefined, ['watch', watch]);
      m.expect(token$, subs).toBeObservable('--s 99ms m', tokens);
      m.expect(watch).toHaveSubscriptions('^ 30149ms !');
    }),
  );

  it(
    'with no window says once what one network chunk brought',
    marbles((m) => {
      const watch = m.cold('  o-S-B-m-', { ...items, m: text(modified('a@6')) });
      const subs = '          ^-------!';
      const expected = '      --s-B-n-';
      const { token$ } = watched('0', ['watch', watch]);
      m.expect(token$, subs).toBeObservable(expected, { ...tokens, n: 'changed 5 holding 6' });
      m.expect(watch).toHaveSubscriptions('^ 30007ms !');
    }),
  );

  it(
    'says absent first when the kind is not served, and synced as soon as it is',
    marbles((m) => {
      const first = m.cold('  -n', items);
      const second = m.cold(' o-S', items);
      const subs = '          ^ 39ms !';
      const { token$ } = watched('8ms', ['watch', first], ['watch', second]);
      m.expect(token$, subs).toBeObservable('-A 31ms s', tokens);
      m.expect(first).toHaveSubscriptions(' ^!');
      m.expect(second).toHaveSubscriptions('31ms ^ 30008ms !');
    }),
  );

  it(
    'is one watch however many subscribe, and tells a late subscriber the newest token at once',
    marbles((m) => {
      const watch = m.cold('  o-S-m---', items);
      const early = '         ^-------!';
      const late = '          ------^-!';
      const { token$ } = watched('0', ['watch', watch]);
      m.expect(token$, early).toBeObservable('--s-m---', tokens);
      m.expect(token$, late).toBeObservable(' ------m-', tokens);
      m.expect(watch).toHaveSubscriptions('^ 30007ms !');
    }),
  );

  it(
    'outlives a gap of less than 30 s between subscribers, and not a longer one',
    marbles((m) => {
      const watch = m.cold('  o-S', items);
      const again = m.cold('  o-S', items);
      const first = '         ^---!';
      const second = '        20s ^---!';
      const third = '         60s ^---!';
      const { token$ } = watched('0', ['watch', watch], ['watch', again]);
      m.expect(token$, first).toBeObservable(' --s', tokens);
      m.expect(token$, second).toBeObservable('20s s', tokens);
      m.expect(token$, third).toBeObservable(' 60s --s', tokens);
      m.expect(watch).toHaveSubscriptions('^ 50003ms !');
      m.expect(again).toHaveSubscriptions('60s ^ 30003ms !');
    }),
  );

  it(
    'ends at once when told to stop, also when nobody is subscribed any more',
    marbles((m) => {
      const watch = m.cold('  o-S-----', items);
      const again = m.cold('  o-S', items);
      const stop = m.hot('    -------s--------------s');
      const first = '         ^-----------!';
      const second = '        ------------^----!';
      const { token$ } = watchedUntil(stop, '0', ['watch', watch], ['watch', again]);
      m.expect(token$, first).toBeObservable(' --s----|', tokens);
      m.expect(token$, second).toBeObservable('------------  --s', tokens);
      m.expect(watch).toHaveSubscriptions('^------!');
      m.expect(again).toHaveSubscriptions('------------^---------!');
    }),
  );

  it(
    'reports what happens also before the first token, and in order',
    marbles((m) => {
      const first = m.cold('  f', items);
      const second = m.cold(' o-S', items);
      const subs = '          ^ 49ms !';
      const { token$, notices } = watched('0', ['watch', first], ['watch', second]);
      m.expect(token$, subs).toBeObservable('32ms s', tokens);
      m.expect(second).toHaveSubscriptions('30ms ^ 30019ms !');
      m.flush();
      expect(notices).toEqual([
        'widgets degraded',
        'widgets retrying',
        'widgets recovered',
        'widgets init-done',
      ]);
    }),
  );

  it('refuses a debounceInterval that is none at once, naming its field', () => {
    expect(() => watched('soon')).toThrow(
      'watchedResources.widgets.debounceInterval: "soon" is not a duration',
    );
  });
});
