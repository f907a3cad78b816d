import { marbles } from 'rxjs-marbles';
import { map, NEVER, type Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { resolveVersion } from '../../../src/streams/resolve-version.ts';
import type { Served, ServedKinds } from '../../../src/streams/served-kinds.ts';

const states: Readonly<Record<string, Served>> = {
  s: { kind: 'served' },
  m: { kind: 'missing' },
  d: { kind: 'deleted' },
  u: { kind: 'unknown', message: 'no' },
};

const resolved = { 1: 'served v1', 2: 'served v1beta1', m: 'missing', d: 'deleted', o: 'served apps/v1' };

function resolving(served: Readonly<Record<string, Observable<Served>>>) {
  const kinds: ServedKinds = {
    served: (apiVersion, resources) => {
      expect(resources).toBe('widgets');
      return served[apiVersion.replace('x.io/', '')] ?? NEVER;
    },
  };
  return (...versions: readonly string[]) =>
    resolveVersion(
      kinds,
      versions.map((version) => `x.io/${version}`),
      'widgets',
    ).pipe(
      map((one) => (one.kind === 'served' ? `served ${one.apiVersion.replace('x.io/', '')}` : one.kind)),
    );
}

describe('resolveVersion', () => {
  it(
    'takes the first version that is served, and an earlier one as soon as it is',
    marbles((m) => {
      const v1 = m.hot('       m---s---', states);
      const v1beta1 = m.hot('  --s-----', states);
      const subs = '           ^-------!';
      const expected = '       --2-1---';
      m.expect(resolving({ v1, v1beta1 })('v1', 'v1beta1'), subs).toBeObservable(expected, resolved);
      m.expect(v1).toHaveSubscriptions(subs);
      m.expect(v1beta1).toHaveSubscriptions(subs);
    }),
  );

  it(
    'decides nothing before it knows of every version',
    marbles((m) => {
      const v1 = m.hot('       s-------', states);
      const v1beta1 = m.hot('  ----m---', states);
      const subs = '           ^-------!';
      const expected = '       ----1---';
      m.expect(resolving({ v1, v1beta1 })('v1', 'v1beta1'), subs).toBeObservable(expected, resolved);
      m.expect(v1).toHaveSubscriptions(subs);
    }),
  );

  it(
    'says missing once, and then the version that appears',
    marbles((m) => {
      const v1 = m.hot('       m-m-m-s-', states);
      const subs = '           ^-------!';
      const expected = '       m-----1-';
      m.expect(resolving({ v1 })('v1'), subs).toBeObservable(expected, resolved);
      m.expect(v1).toHaveSubscriptions(subs);
    }),
  );

  it(
    'lets a version stand that is away, and says it again when it is back',
    marbles((m) => {
      const v1 = m.hot('       s-m---s-s-', states);
      const subs = '           ^---------!';
      const expected = '       1-----1---';
      m.expect(resolving({ v1 })('v1'), subs).toBeObservable(expected, resolved);
      m.expect(v1).toHaveSubscriptions(subs);
    }),
  );

  it(
    'says deleted when the kind is, whichever versions it had, and served when it is made anew',
    marbles((m) => {
      const v1 = m.hot('       s--d--s--', states);
      const v1beta1 = m.hot('  m--------', states);
      const subs = '           ^--------!';
      const expected = '       1--d--1--';
      m.expect(resolving({ v1, v1beta1 })('v1', 'v1beta1'), subs).toBeObservable(expected, resolved);
      m.expect(v1).toHaveSubscriptions(subs);
    }),
  );

  it(
    'watches a version that cannot be asked for, unless a later one is served',
    marbles((m) => {
      const v1 = m.hot('       u-----s-', states);
      const v1beta1 = m.hot('  m--s----', states);
      const subs = '           ^-------!';
      const expected = '       1--2--1-';
      m.expect(resolving({ v1, v1beta1 })('v1', 'v1beta1'), subs).toBeObservable(expected, resolved);
      m.expect(v1).toHaveSubscriptions(subs);
    }),
  );

  it(
    'does not ask for a single version of Kubernetes itself',
    marbles((m) => {
      const kinds: ServedKinds = {
        served: () => {
          throw new Error('asked');
        },
      };
      const version$ = resolveVersion(kinds, ['apps/v1'], 'deployments').pipe(
        map((one) => (one.kind === 'served' ? `served ${one.apiVersion}` : one.kind)),
      );
      m.expect(version$, '^---!').toBeObservable('o---', resolved);
    }),
  );
});
