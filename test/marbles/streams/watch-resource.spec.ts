import { marbles } from 'rxjs-marbles';
import { ignoreElements, map, merge, NEVER, type Observable, tap } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { createGraph } from '../../../src/collections/create-graph.ts';
import { createOnDemandCache, type Arrival } from '../../../src/collections/on-demand-cache.ts';
import type { KubeResult } from '../../../src/kube/kube-failure.ts';
import type { StreamItem } from '../../../src/kube/open-stream.ts';
import type { ReflectStore } from '../../../src/streams/reflect.ts';
import { watchResource } from '../../../src/streams/watch-resource.ts';
import { watchSpecOf } from '../../../src/streams/watch-spec.ts';
import {
  added,
  deleted,
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

function mapStore(store: Map<string, KubeObject>): ReflectStore {
  return {
    set: (key, value) => void store.set(key, value),
    delete: (key) => void store.delete(key),
    replace: (entries) => {
      store.clear();
      for (const [key, value] of entries) store.set(key, value);
    },
  };
}

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
    },
    watchSpecOf('widgets', {
      apiVersion: 'example.com/v1',
      resources: 'widgets',
      ...(debounceInterval === undefined ? {} : { debounceInterval }),
    }),
    { store: mapStore(store) },
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

  describe('on demand', () => {
    const secret = (version: string): KubeResult<unknown> => ({
      ok: true,
      value: {
        kind: 'Widget',
        metadata: { name: 'a', namespace: 'ns', resourceVersion: version, managedFields: [{}] },
        data: { key: version },
        status: { long: 'text' },
      },
    });
    const answers = { 1: secret('1'), 6: secret('6') };

    function onDemand(
      watch: Observable<StreamItem>,
      wants: Observable<string>,
      ...replies: readonly Observable<KubeResult<unknown>>[]
    ) {
      const graph = createGraph();
      const store = graph.source<KubeObject>('widgets');
      const cache = createOnDemandCache<KubeObject>(graph.source<Arrival>('widgets read'), {
        max: 4,
        ttl: 0,
        now: () => 1,
        versionOf: ({ metadata }) => metadata.resourceVersion,
      });
      const asked: string[] = [];
      const token$ = watchResource(
        {
          open: () => watch,
          read: ({ path }) => {
            asked.push(path);
            return replies[asked.length - 1] ?? NEVER;
          },
          random: () => 0.5,
          policy: { ...marblePolicy, idleMargin: 1_000_000 },
          notice: () => undefined,
        },
        watchSpecOf('widgets', {
          apiVersion: 'example.com/v1',
          resources: 'widgets',
          store: 'on-demand',
          cacheTTL: '0',
          debounceInterval: '20ms',
          ignoreFields: ['status'],
        }),
        { store, cache },
      ).pipe(map(({ kind, revision }) => `${kind} ${revision}`));
      const wanting$ = wants.pipe(
        tap((key) => cache.want('ns/a', key)),
        ignoreElements(),
      );
      const peek = () => {
        graph.advance();
        return store.peek('ns/a');
      };
      return { token$: merge(wanting$, token$), cache, asked, peek };
    }

    const shown = { s: 'synced 1', a: 'changed 2', m: 'changed 3', b: 'changed 4', g: 'degraded 2' };

    it(
      'holds references, reads what is wanted of them, and tells that at once',
      marbles((m) => {
        const watch = m.cold('  o-S----m----------', items);
        const wants = m.hot('   ----1-------------');
        const reply = m.cold('      -(1|)', answers);
        const subs = '          ^ 29ms !';
        const expected = '      --s--a 16ms m';
        const { token$, cache, asked, peek } = onDemand(watch, wants, reply);
        m.expect(token$, subs).toBeObservable(expected, shown);
        m.expect(reply).toHaveSubscriptions('----^!');
        m.flush();
        expect(asked).toStrictEqual(['/apis/example.com/v1/namespaces/ns/widgets/a']);
        expect(peek()).toStrictEqual({
          metadata: { name: 'a', namespace: 'ns', uid: 'uid-a', resourceVersion: '6' },
        });
        expect(cache.look('ns/a', '1')?.value).toStrictEqual({
          apiVersion: 'example.com/v1',
          kind: 'Widget',
          metadata: { name: 'a', namespace: 'ns', resourceVersion: '1' },
          data: { key: '1' },
        });
      }),
    );

    it(
      'forgets what is deleted, and gives up reading it',
      marbles((m) => {
        const watch = m.cold('  o-S----x', { ...items, x: text(deleted('a@7')) });
        const wants = m.hot('   ----1---');
        const reply = m.cold('      -----(1|)', answers);
        const subs = '          ^ 29ms !';
        const expected = '      --s 19ms a';
        const { token$, cache, peek } = onDemand(watch, wants, reply);
        m.expect(token$, subs).toBeObservable(expected, shown);
        m.expect(reply).toHaveSubscriptions('----^--!');
        m.flush();
        expect(peek()).toBeUndefined();
        expect(cache.waiting).toBe(0);
      }),
    );

    it(
      'stays degraded when an object could be read nevertheless',
      marbles((m) => {
        const watch = m.cold('  o-S-----f', items);
        const wants = m.hot('   24ms 1');
        const reply = m.cold('       -(1|)', answers);
        const subs = '          ^ 32ms !';
        const expected = '      --s 19ms D--g';
        const { token$ } = onDemand(watch, wants, reply);
        m.expect(token$, subs).toBeObservable(expected, {
          ...shown,
          D: 'degraded 1',
        });
        m.expect(reply).toHaveSubscriptions('24ms ^!');
      }),
    );
  });
});
