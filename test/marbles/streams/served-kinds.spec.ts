import { marbles } from 'rxjs-marbles';
import { EMPTY, map, type Observable, throwError } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { KubeResult } from '../../../src/kube/kube-failure.ts';
import type { CustomKindChange } from '../../../src/streams/custom-kinds.ts';
import { createServedKinds, type Served, type ServedKindsPolicy } from '../../../src/streams/served-kinds.ts';

const policy: ServedKindsPolicy = {
  backoff: { min: 4, max: 16, factor: 2, jitter: 0, resetAfter: 100 },
  settle: 3,
  followUps: [3, 5],
  recheck: 20,
};

const list = (...names: readonly string[]): KubeResult<unknown> => ({
  ok: true,
  value: { kind: 'APIResourceList', resources: names.map((name) => ({ name })) },
});
const failure = (status: number): KubeResult<unknown> => ({
  ok: false,
  failure: { kind: 'http', status, reason: '', message: 'no' },
});

const answers = {
  w: list('widgets', 'widgets/status'),
  g: list('gadgets'),
  b: list('gadgets', 'widgets'),
  n: failure(404),
  f: failure(503),
  h: { ok: true, value: '<html>' } as const,
};

const changes: Readonly<Record<string, CustomKindChange>> = {
  L: { kind: 'listed', name: 'widgets.example.com' },
  C: { kind: 'changed', name: 'widgets.example.com' },
  G: { kind: 'changed', name: 'gadgets.example.com' },
  O: { kind: 'changed', name: 'others.example.org' },
  X: { kind: 'deleted', name: 'widgets.example.com' },
};

const states: Readonly<Record<string, Served['kind']>> = {
  s: 'served',
  m: 'missing',
  d: 'deleted',
  u: 'unknown',
};

/** The n-th question is answered by the n-th answer, and none is left unasked or asked too often. */
function scripted(
  changes$: Observable<CustomKindChange>,
  ...replies: readonly Observable<KubeResult<unknown>>[]
) {
  const asked: string[] = [];
  const kinds = createServedKinds({
    read: ({ path }) => {
      asked.push(path);
      return (
        replies[asked.length - 1] ?? throwError(() => new Error(`question ${asked.length} was not expected`))
      );
    },
    changes$,
    random: () => 0.5,
    policy,
  });
  const widgets = (apiVersion = 'example.com/v1') =>
    kinds.served(apiVersion, 'widgets').pipe(map(({ kind }) => kind));
  return { kinds, widgets, asked };
}

describe('createServedKinds', () => {
  it(
    'asks once for a version of Kubernetes itself and watches no definitions for it',
    marbles((m) => {
      const changes$ = m.cold(' -C-', changes);
      const first = m.cold('    --(b|)', answers);
      const subs = '            ^---------!';
      const { widgets, asked } = scripted(changes$, first);
      m.expect(widgets('apps/v1'), subs).toBeObservable('--s-------', states);
      m.expect(first).toHaveSubscriptions('^-!');
      m.expect(changes$).toHaveSubscriptions([]);
      m.flush();
      expect(asked).toStrictEqual(['/apis/apps/v1']);
    }),
  );

  it(
    'asks again for a while when a definition of the group changed, and says when the kind appears',
    marbles((m) => {
      const changes$ = m.hot('  ----C-----------', changes);
      const first = m.cold('    (g|)', answers);
      const second = m.cold('   (g|)', answers);
      const third = m.cold('    (b|)', answers);
      const fourth = m.cold('   (b|)', answers);
      const subs = '            ^--------------------!';
      const expected = '        m------s-------------';
      const { widgets } = scripted(changes$, first, second, third, fourth);
      m.expect(widgets(), subs).toBeObservable(expected, states);
      m.expect(first).toHaveSubscriptions('  (^!)');
      m.expect(second).toHaveSubscriptions(' ----(^!)');
      m.expect(third).toHaveSubscriptions('  -------(^!)');
      m.expect(fourth).toHaveSubscriptions(' ------------(^!)');
      m.expect(changes$).toHaveSubscriptions([subs, subs]);
    }),
  );

  it(
    'does not ask because of definitions of other groups',
    marbles((m) => {
      const changes$ = m.hot('  ----O---', changes);
      const first = m.cold('    (w|)', answers);
      const subs = '            ^--------!';
      const { widgets } = scripted(changes$, first);
      m.expect(widgets(), subs).toBeObservable('s--------', states);
      m.expect(first).toHaveSubscriptions('(^!)');
    }),
  );

  it(
    'asks once more, late, of what was there at the beginning',
    marbles((m) => {
      const changes$ = m.hot('  -L--', changes);
      const first = m.cold('    (g|)', answers);
      const second = m.cold('   (g|)', answers);
      const third = m.cold('    (b|)', answers);
      const subs = '            ^-----------!';
      const { widgets } = scripted(changes$, first, second, third);
      m.expect(widgets(), subs).toBeObservable('m-----s------', states);
      m.expect(second).toHaveSubscriptions('-(^!)');
      m.expect(third).toHaveSubscriptions(' ------(^!)');
    }),
  );

  it(
    'gathers the changes of a moment',
    marbles((m) => {
      const changes$ = m.hot('  -CCG-------', changes);
      const first = m.cold('    (g|)', answers);
      const replies = Array.from({ length: 4 }, () => m.cold('(b|)', answers));
      const subs = '            ^--------------!';
      const { widgets } = scripted(changes$, first, ...replies);
      m.expect(widgets(), subs).toBeObservable('ms-------------', states);
      m.expect(replies[0]!).toHaveSubscriptions('-(^!)');
      m.expect(replies[1]!).toHaveSubscriptions('----(^!)');
      m.expect(replies[2]!).toHaveSubscriptions('-------(^!)');
      m.expect(replies[3]!).toHaveSubscriptions('------------(^!)');
    }),
  );

  it(
    'says deleted when the definition was deleted and the kind is served no more',
    marbles((m) => {
      const changes$ = m.hot('  ----X---------', changes);
      const first = m.cold('    (b|)', answers);
      const second = m.cold('   (b|)', answers);
      const third = m.cold('    (g|)', answers);
      const fourth = m.cold('   (g|)', answers);
      const subs = '            ^-------------!';
      const expected = '        s------d------';
      const { widgets } = scripted(changes$, first, second, third, fourth);
      m.expect(widgets(), subs).toBeObservable(expected, states);
      m.expect(fourth).toHaveSubscriptions(' ------------(^!)');
    }),
  );

  it(
    'says missing of a version that is not served, and looks again now and then',
    marbles((m) => {
      const changes$ = m.hot('-', changes);
      const first = m.cold('    (n|)', answers);
      const second = m.cold('   (n|)', answers);
      const third = m.cold('    (w|)', answers);
      const subs = '            ^ 99ms !';
      const { widgets } = scripted(changes$, first, second, third);
      m.expect(widgets(), subs).toBeObservable('m 39ms s', states);
      m.expect(first).toHaveSubscriptions('(^!)');
      m.expect(second).toHaveSubscriptions('20ms (^!)');
      m.expect(third).toHaveSubscriptions('40ms (^!)');
    }),
  );

  it(
    'says unknown at once when the API cannot be asked, and tries again with backoff',
    marbles((m) => {
      const changes$ = m.hot('-', changes);
      const first = m.cold('    (f|)', answers);
      const second = m.cold('   (h|)', answers);
      const third = m.cold('    (w|)', answers);
      const subs = '            ^ 29ms !';
      const { widgets } = scripted(changes$, first, second, third);
      m.expect(widgets(), subs).toBeObservable('u 11ms s', states);
      m.expect(second).toHaveSubscriptions('----(^!)');
      m.expect(third).toHaveSubscriptions(' ------------(^!)');
    }),
  );

  it(
    'keeps what it knew when it cannot ask again',
    marbles((m) => {
      const changes$ = m.hot('  --C---------', changes);
      const first = m.cold('    (w|)', answers);
      const failing = Array.from({ length: 3 }, () => m.cold('(f|)', answers));
      const subs = '            ^-------------!';
      const { widgets } = scripted(changes$, first, ...failing);
      m.expect(widgets(), subs).toBeObservable('s-------------', states);
      m.expect(failing[2]!).toHaveSubscriptions('----------(^!)');
    }),
  );

  it(
    'asks once for all kinds of a version, and gives up with the last subscriber',
    marbles((m) => {
      const changes$ = m.hot('-', changes);
      const first = m.cold('    ---(b|)', answers);
      const { kinds } = scripted(changes$, first);
      const served = (name: string) => kinds.served('example.com/v1', name).pipe(map(({ kind }) => kind));
      m.expect(served('widgets'), ' ^-----!').toBeObservable('---s---', states);
      m.expect(served('gadgets'), ' -^----!').toBeObservable('---s---', states);
      m.expect(served('gizmos'), '  -----^-!').toBeObservable('-----m--', states);
      m.expect(first).toHaveSubscriptions('^--!');
    }),
  );

  it(
    'ends with its stop',
    marbles((m) => {
      const stop$ = m.hot('     ---x', {});
      const first = m.cold('    -----(w|)', answers);
      const kinds = createServedKinds({
        read: () => first,
        changes$: EMPTY,
        random: () => 0.5,
        stop$,
        policy,
      });
      m.expect(kinds.served('example.com/v1', 'widgets')).toBeObservable('---|');
      m.expect(first).toHaveSubscriptions('^--!');
    }),
  );
});
