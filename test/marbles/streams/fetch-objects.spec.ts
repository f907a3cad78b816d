import { marbles } from 'rxjs-marbles';
import { asyncScheduler, merge, type Observable, tap, throwError, ignoreElements } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { createGraph } from '../../../src/collections/create-graph.ts';
import { createOnDemandCache, type Arrival } from '../../../src/collections/on-demand-cache.ts';
import type { KubeResult } from '../../../src/kube/kube-failure.ts';
import { fetchObjects, type FetchPolicy } from '../../../src/streams/fetch-objects.ts';

const policy: FetchPolicy = {
  concurrent: 2,
  deadline: 6,
  attempts: 3,
  backoff: { min: 4, max: 16, factor: 2, jitter: 0, resetAfter: 100 },
  expireEvery: 0,
};

const failure = (status: number): KubeResult<KubeObject> => ({
  ok: false,
  failure: { kind: 'http', status, reason: '', message: 'no' },
});

const answers: Readonly<Record<string, KubeResult<KubeObject>>> = {
  a: { ok: true, value: { kind: 'Secret', metadata: { name: 'a', resourceVersion: '1' } } },
  f: failure(503),
  p: failure(403),
  n: failure(404),
};

/** Letters of `wants` are keys that somebody wants at that moment. */
function fetching(
  wants: Observable<string>,
  replies: Readonly<Record<string, readonly Observable<KubeResult<KubeObject>>[]>>,
  options: Partial<FetchPolicy> & { readonly ttl?: number } = {},
) {
  const graph = createGraph();
  const arrivals = graph.source<Arrival>('arrivals');
  const cache = createOnDemandCache<KubeObject>(arrivals, {
    max: 8,
    ttl: options.ttl ?? 0,
    now: () => asyncScheduler.now() + 1,
    versionOf: ({ metadata }) => metadata.resourceVersion,
  });
  const asked = new Map<string, number>();
  const results: string[] = [];
  const fetched$ = fetchObjects({
    cache,
    random: () => 0.5,
    policy: { ...policy, ...options },
    told: (result) => void results.push(result),
    read: (key) => {
      const count = asked.get(key) ?? 0;
      asked.set(key, count + 1);
      return replies[key]?.[count] ?? throwError(() => new Error(`${key} was asked for too often`));
    },
  });
  const wanting$ = wants.pipe(
    tap((key) => cache.want(key, '1')),
    ignoreElements(),
  );
  const told = (key: string): string | undefined => {
    graph.advance();
    return arrivals.peek(key)?.kind;
  };
  return { out$: merge(wanting$, fetched$), cache, told, results };
}

const x = { x: undefined };

describe('fetchObjects', () => {
  it(
    'reads what is wanted, once however often it is asked for meanwhile',
    marbles((m) => {
      const wants = m.hot(' -aa----', undefined);
      const first = m.cold(' ---(a|)', answers);
      const subs = '        ^------!';
      const expected = '    ----x--';
      const { out$, cache, told } = fetching(wants, { a: [first] });
      m.expect(out$, subs).toBeObservable(expected, x);
      m.expect(first).toHaveSubscriptions('-^--!');
      m.flush();
      expect(told('a')).toBe('here');
      expect(cache.look('a', '1')?.value.metadata.name).toBe('a');
    }),
  );

  it(
    'reads several at once, and no more than allowed',
    marbles((m) => {
      const wants = m.hot(' (abc)-----', undefined);
      const first = m.cold(' --(a|)', answers);
      const second = m.cold('---(a|)', answers);
      const third = m.cold(' --(a|)', answers);
      const subs = '        ^---------!';
      const expected = '    --xxx-----';
      const { out$ } = fetching(wants, { a: [first], b: [second], c: [third] });
      m.expect(out$, subs).toBeObservable(expected, x);
      m.expect(first).toHaveSubscriptions(' ^-!');
      m.expect(second).toHaveSubscriptions('^--!');
      m.expect(third).toHaveSubscriptions(' --^-!');
    }),
  );

  it(
    'tries again what failed in passing, and gives the others their turn meanwhile',
    marbles((m) => {
      const wants = m.hot(' a-b----------', undefined);
      const first = m.cold(' -(f|)', answers);
      const again = m.cold(' -(f|)', answers);
      const last = m.cold('  -(a|)', answers);
      const other = m.cold(' -(a|)', answers);
      const subs = '        ^---------------!';
      const expected = '    ---x-----------x';
      const { out$, told } = fetching(wants, { a: [first, again, last], b: [other] }, { concurrent: 1 });
      m.expect(out$, subs).toBeObservable(expected, x);
      m.expect(first).toHaveSubscriptions('^!');
      m.expect(again).toHaveSubscriptions('-----^!');
      m.expect(last).toHaveSubscriptions(' --------------^!');
      m.expect(other).toHaveSubscriptions('--^!');
      m.flush();
      expect(told('a')).toBe('here');
    }),
  );

  it(
    'counts an object as unreadable after some attempts, and tries with growing delays for as long as it is asked for',
    marbles((m) => {
      const wants = m.hot(' a-------------------a-------a', undefined);
      const reply = () => m.cold('(f|)', answers);
      const replies = [reply(), reply(), reply(), reply(), reply()];
      const subs = '        ^ 50ms !';
      const expected = '    ------------x 11ms x 11ms x';
      const { out$, told } = fetching(wants, { a: replies });
      m.expect(out$, subs).toBeObservable(expected, x);
      m.expect(replies[0]!).toHaveSubscriptions('(^!)');
      m.expect(replies[1]!).toHaveSubscriptions('----(^!)');
      m.expect(replies[2]!).toHaveSubscriptions('12ms (^!)');
      m.expect(replies[3]!).toHaveSubscriptions('24ms (^!)');
      m.expect(replies[4]!).toHaveSubscriptions('36ms (^!)');
      m.flush();
      expect(told('a')).toBe('failed');
    }),
  );

  it(
    'counts as unreadable at once what no other attempt can read, and as gone what is not there',
    marbles((m) => {
      const wants = m.hot(' a-b-', undefined);
      const first = m.cold(' -(p|)', answers);
      const other = m.cold(' -(n|)', answers);
      const subs = '        ^---------!';
      const expected = '    -x-x------';
      const { out$, told, results } = fetching(wants, { a: [first], b: [other] });
      m.expect(out$, subs).toBeObservable(expected, x);
      m.expect(first).toHaveSubscriptions('^!');
      m.flush();
      expect(results).toStrictEqual(['failed', 'gone']);
      expect([told('a'), told('b')]).toStrictEqual(['failed', 'gone']);
    }),
  );

  it(
    'gives an attempt up that takes too long, and says so at once',
    marbles((m) => {
      const wants = m.hot(' a-------a----', undefined);
      const first = m.cold(' ----------(a|)', answers);
      const again = m.cold(' -(a|)', answers);
      const subs = '        ^----------------!';
      const expected = '    ------x------x----';
      const { out$, told } = fetching(wants, { a: [first, again] });
      m.expect(out$, subs).toBeObservable(expected, x);
      m.expect(first).toHaveSubscriptions('^-----!');
      m.expect(again).toHaveSubscriptions('------------^!');
      m.flush();
      expect(told('a')).toBe('here');
    }),
  );

  it(
    'gives up what nobody can want any more',
    marbles((m) => {
      const wants = m.hot(' a--------', undefined);
      const first = m.cold(' -----(a|)', answers);
      const gone = m.hot('  --g------', undefined);
      const subs = '        ^--------!';
      const { out$, cache } = fetching(wants, { a: [first] });
      const dropping$ = gone.pipe(
        tap(() => cache.forget('a')),
        ignoreElements(),
      );
      m.expect(merge(out$, dropping$), subs).toBeObservable('---------');
      m.expect(first).toHaveSubscriptions('^-!');
    }),
  );

  it(
    'lets go what was not asked for in time',
    marbles((m) => {
      const wants = m.hot(' a-', undefined);
      const first = m.cold(' (a|)', answers);
      const { out$, cache } = fetching(wants, { a: [first] }, { ttl: 20, expireEvery: 10 });
      const sizes: number[] = [];
      const look$ = m.cold('-x 20ms x 20ms x').pipe(
        tap(() => sizes.push(cache.size)),
        ignoreElements(),
      );
      m.expect(merge(out$, look$), '^ 50ms !').toBeObservable('x', x);
      m.expect(first).toHaveSubscriptions('(^!)');
      m.flush();
      expect(sizes).toStrictEqual([1, 1, 0]);
    }),
  );
});
