import { marbles } from 'rxjs-marbles';
import { type Observable, defer } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { FetchOutcome } from '../../../src/lib/http/fetch-outcome.ts';
import { createSlots } from '../../../src/operators/create-slots.ts';
import { httpRefresh } from '../../../src/streams/http-refresh.ts';

const failure = (message: string, again: boolean): FetchOutcome => ({
  kind: 'failed',
  reason: 'FetchFailed',
  message,
  again,
});
const outcomes: Record<string, FetchOutcome> = {
  u: { kind: 'unchanged' },
  x: failure('answered 500', true),
  n: failure('answered 404', false),
  t: failure('no answer within 2 s', true),
  r: { kind: 'failed', reason: 'FetchFailed', message: 'answered 503', again: true, retryAfter: 5_000 },
  l: { kind: 'failed', reason: 'FetchFailed', message: 'answered 503', again: true, retryAfter: 60_000 },
  m: { kind: 'failed', reason: 'FetchFailed', message: 'answered 429', again: false, retryAfter: 60_000 },
};
const want = { refresh: 0, retries: 3, timeout: 2_000 };
/** No jitter. */
const random = () => 0.5;
const slot = <T>(attempt$: Observable<T>) => attempt$;
/** One after the other, the last again and again. */
const inTurn = (...all: readonly Observable<FetchOutcome>[]) => {
  let next = 0;
  return () => defer(() => all[Math.min(next++, all.length - 1)] ?? []);
};

describe('httpRefresh', () => {
  it(
    'fetches once where no refresh is wanted',
    marbles((m) => {
      const fetch = m.cold('   --(u|)', outcomes);
      const unsub = '          ^ 10m !';
      const expected = '       --u';
      const refresh$ = httpRefresh(want, { fetch: () => fetch, slot, random });
      m.expect(refresh$, unsub).toBeObservable(expected, outcomes);
      m.expect(fetch).toHaveSubscriptions('^-!');
    }),
  );

  it(
    'fetches again a refresh interval after the end of the last fetch',
    marbles((m) => {
      const fetch = m.cold('   --(u|)', outcomes);
      const expected = '       --u 4999ms --u 4999ms --u';
      const subs = ['          ^-!', '-- 5s ^-!', '---- 10s ^-!'];
      const refresh$ = httpRefresh({ ...want, refresh: 5_000 }, { fetch: () => fetch, slot, random });
      m.expect(refresh$, '     ^ 12s !').toBeObservable(expected, outcomes);
      m.expect(fetch).toHaveSubscriptions(subs);
    }),
  );

  it(
    'never fetches more often than once in a second',
    marbles((m) => {
      const fetch = m.cold('   (u|)', outcomes);
      const expected = '       u 999ms u 999ms u';
      const refresh$ = httpRefresh({ ...want, refresh: 1 }, { fetch: () => fetch, slot, random });
      m.expect(refresh$, '     ^ 2500ms !').toBeObservable(expected, outcomes);
    }),
  );

  it(
    'tries again after 1, 2 and 4 s where that may help, and says how it ended',
    marbles((m) => {
      const fails = m.cold('   -(x|)', outcomes);
      const works = m.cold('               -(u|)', outcomes);
      const expected = '       -- 3s -u';
      const refresh$ = httpRefresh(want, { fetch: inTurn(fails, fails, works), slot, random });
      m.expect(refresh$, '     ^ 9s !').toBeObservable(expected, outcomes);
      m.expect(fails).toHaveSubscriptions(['^!', '- 1s ^!']);
      m.expect(works).toHaveSubscriptions('-- 3s ^!');
    }),
  );

  it(
    'gives a round up after the wanted retries',
    marbles((m) => {
      const fails = m.cold('   (x|)', outcomes);
      const expected = '       3s x';
      const refresh$ = httpRefresh({ ...want, retries: 2 }, { fetch: () => fails, slot, random });
      m.expect(refresh$, '     ^ 10s !').toBeObservable(expected, outcomes);
      m.expect(fails).toHaveSubscriptions(['(^!)', '1s (^!)', '3s (^!)']);
    }),
  );

  it(
    'does not try again what would end the same; begins new rounds with growing pauses',
    marbles((m) => {
      const fails = m.cold('   (n|)', outcomes);
      const expected = '       n 9999ms n 19999ms n 39999ms n';
      const refresh$ = httpRefresh(want, { fetch: () => fails, slot, random });
      m.expect(refresh$, '     ^ 75s !').toBeObservable(expected, outcomes);
      m.expect(fails).toHaveSubscriptions(['(^!)', '10s (^!)', '30s (^!)', '70s (^!)']);
    }),
  );

  it(
    'comes back to the refresh interval after a failure, and is regular again after a success',
    marbles((m) => {
      const fails = m.cold('   (n|)', outcomes);
      const works = m.cold('   (u|)', outcomes);
      const expected = '       u 4999ms n 4999ms u 4999ms u';
      const fetch = inTurn(works, fails, works);
      const refresh$ = httpRefresh({ ...want, refresh: 5_000 }, { fetch, slot, random });
      m.expect(refresh$, '     ^ 16s !').toBeObservable(expected, outcomes);
      m.expect(fails).toHaveSubscriptions('5s (^!)');
    }),
  );

  it(
    'leaves a server alone for as long as it wants',
    marbles((m) => {
      const soon = m.cold('    (r|)', outcomes);
      const later = m.cold('   (l|)', outcomes);
      const often = m.cold('   (m|)', outcomes);
      const works = m.cold('   (u|)', outcomes);
      const expected = '       5s l 59999ms m 59999ms u';
      const fetch = inTurn(soon, later, often, works);
      const refresh$ = httpRefresh({ ...want, refresh: 10_000 }, { fetch, slot, random });
      m.expect(refresh$, '     ^ 128s !').toBeObservable(expected, outcomes);
      m.expect(soon).toHaveSubscriptions('(^!)');
      m.expect(later).toHaveSubscriptions('5s (^!)');
      m.expect(often).toHaveSubscriptions('65s (^!)');
      m.expect(works).toHaveSubscriptions('125s (^!)');
    }),
  );

  it(
    'puts attempts after a failure under suspicion, so that hosts that do not answer leave room for others',
    marbles((m) => {
      const fails = m.cold('   (x|)', outcomes);
      const works = m.cold('   (u|)', outcomes);
      const seen: boolean[] = [];
      const noted = <T>(attempt$: Observable<T>, isSuspect: boolean) => {
        seen.push(isSuspect);
        return attempt$;
      };
      const fetch = inTurn(fails, fails, works);
      const refresh$ = httpRefresh({ ...want, retries: 1, refresh: 5_000 }, { fetch, slot: noted, random });
      m.expect(refresh$, '     ^ 12s !').toBeObservable('1s x 4999ms u 4999ms u', outcomes);
      m.flush();
      expect(seen).toStrictEqual([false, true, true, false]);
    }),
  );

  it(
    'gives an attempt up that takes too long',
    marbles((m) => {
      const hangs = m.cold('   -');
      const expected = '       2s t';
      const refresh$ = httpRefresh({ ...want, retries: 0 }, { fetch: () => hangs, slot, random });
      m.expect(refresh$, '     ^ 5s !').toBeObservable(expected, outcomes);
      m.expect(hangs).toHaveSubscriptions('^ 1999ms !');
    }),
  );

  it(
    'ends what is under way when nobody listens any more',
    marbles((m) => {
      const fetch = m.cold('   -----(u|)', outcomes);
      const refresh$ = httpRefresh(want, { fetch: () => fetch, slot, random });
      m.expect(refresh$, '     ^--!').toBeObservable('---', outcomes);
      m.expect(fetch).toHaveSubscriptions('^--!');
    }),
  );

  it(
    'begins an attempt, and its limit of time, when there is room for it',
    marbles((m) => {
      const slots = createSlots({ total: 1, suspects: 1 });
      const other = m.cold('   5s |');
      const fetch = m.cold('   -(u|)', outcomes);
      const refresh$ = httpRefresh(want, {
        fetch: () => fetch,
        slot: (attempt$) => slots.run(attempt$),
        random,
      });
      m.expect(slots.run(other), '^').toBeObservable('5s |');
      m.expect(refresh$, '     ^ 7s !').toBeObservable('5s -u', outcomes);
      m.expect(fetch).toHaveSubscriptions('5s ^!');
    }),
  );

  it(
    'varies its delays by what chance says',
    marbles((m) => {
      const fetch = m.cold('   (u|)', outcomes);
      const refresh$ = httpRefresh(
        { ...want, refresh: 10_000 },
        { fetch: () => fetch, slot, random: () => 0 },
      );
      m.expect(refresh$, '     ^ 9500ms !').toBeObservable('u 8999ms u', outcomes);
    }),
  );
});
