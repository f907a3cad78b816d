import { marbles } from 'rxjs-marbles';
import { map } from 'rxjs';
import { describe, it } from 'vitest';
import { orderedMapFrom, valuesOf } from '../../../src/lib/ordered-map.ts';
import type { Bundle } from '../../../src/protocol/bundle.ts';
import { deployedStatuses, type DeployedInputs } from '../../../src/sinks/status-deployed.ts';
import { bundleOf } from '../../fixtures/bundle-of.ts';
import { ackOf, failureOf, podOf, revertOf } from '../../fixtures/delivery-reports.ts';

/** A render that declares one status, which says its own name. */
const render = (id: string, says = id): Bundle => ({
  ...bundleOf(id),
  statusPatches: orderedMapFrom([
    [
      'k',
      {
        target: { apiVersion: 'v1', kind: 'Widget', namespace: '', name: 'k' },
        variants: { deployed: { says } },
        owner: { kind: 'Widget', namespace: '', name: 'k' },
        place: 't:1:1',
      },
    ],
  ]),
});
const renders = { a: render('a'), b: render('b'), c: render('c'), A: render('a', 'else') };
const fleets = { 1: [podOf('p')], 2: [podOf('p'), podOf('q')], 0: [] };
const reports = {
  p: ackOf('p', 'a'),
  q: ackOf('q', 'a'),
  P: ackOf('p', 'b'),
  Q: ackOf('q', 'c'),
  s: ackOf('p', 'b', { mode: 'scheduled', converged: false }),
  x: failureOf('p', 'b', { stage: 'rejected' }),
  u: failureOf('p', 'b', { stage: 'unreachable' }),
  r: revertOf('p', 'b', 'a'),
};

const words = (inputs: DeployedInputs) =>
  deployedStatuses(inputs).pipe(
    map(({ patches, isRejected }) => {
      const says =
        patches === undefined
          ? '?'
          : [...valuesOf(patches)].map((patch) => patch.variants.deployed?.['says']);
      return `${String(says)}${isRejected ? ' rejected' : ''}`;
    }),
  );

describe('deployedStatuses', () => {
  it(
    'knows nothing before every pod has said what it runs',
    marbles((m) => {
      const bundle$ = m.hot('  a------', renders);
      const fleet$ = m.hot('   -2-----', fleets);
      const delivery$ = m.hot('---p-q-', reports);
      const expected = '       ?----a-';
      m.expect(words({ bundle$, fleet$, delivery$ }), '^------!').toBeObservable(expected, {
        '?': '?',
        a: 'a',
      });
      m.expect(bundle$).toHaveSubscriptions('^------!');
      m.expect(fleet$).toHaveSubscriptions('^------!');
      m.expect(delivery$).toHaveSubscriptions('^------!');
    }),
  );

  it(
    'counts the oldest render that a pod runs, also where no render is ever run by all',
    marbles((m) => {
      const bundle$ = m.hot('  a-b-c-----', renders);
      const fleet$ = m.hot('   2---------', fleets);
      const delivery$ = m.hot('-pq--P-Q--', reports);
      const expected = '       ?-a----b--';
      m.expect(words({ bundle$, fleet$, delivery$ })).toBeObservable(expected, { '?': '?', a: 'a', b: 'b' });
    }),
  );

  it(
    'waits for a scheduled reload, and takes a pod that goes or comes into account',
    marbles((m) => {
      const bundle$ = m.hot('  a-b--------', renders);
      const fleet$ = m.hot('   1-----2-1-0', fleets);
      const delivery$ = m.hot('-p-s-P-----', reports);
      const expected = '       ?a---b?-b-?';
      m.expect(words({ bundle$, fleet$, delivery$ })).toBeObservable(expected, { '?': '?', a: 'a', b: 'b' });
    }),
  );

  it(
    'tells that a pod refuses, until it takes something, and what it went back to',
    marbles((m) => {
      const bundle$ = m.hot('  a-b--------', renders);
      const fleet$ = m.hot('   1----------', fleets);
      const delivery$ = m.hot('-p-u-x-P-r-', reports);
      const expected = '       ?a---x-b-a-';
      m.expect(words({ bundle$, fleet$, delivery$ })).toBeObservable(expected, {
        '?': '?',
        a: 'a',
        x: 'a rejected',
        b: 'b',
      });
    }),
  );

  it(
    'takes what is declared otherwise with a content that runs already',
    marbles((m) => {
      const bundle$ = m.hot('  a--A-', renders);
      const fleet$ = m.hot('   1----', fleets);
      const delivery$ = m.hot('-p---', reports);
      m.expect(words({ bundle$, fleet$, delivery$ })).toBeObservable('?a-e-', {
        '?': '?',
        a: 'a',
        e: 'else',
      });
    }),
  );

  it(
    'keeps the newest renders that nobody has acknowledged yet, and those that run',
    marbles((m) => {
      const many = Object.fromEntries('abcdefghijkl'.split('').map((id) => [id, render(id)]));
      const bundle$ = m.hot('  abcdefghijkl---', many);
      const fleet$ = m.hot('   1--------------', fleets);
      const delivery$ = m.hot('-p----------d-e', {
        p: ackOf('p', 'a'),
        d: ackOf('p', 'd'),
        e: ackOf('p', 'e'),
      });
      const expected = '       ?a----------?-e';
      m.expect(words({ bundle$, fleet$, delivery$, awaiting: 8 })).toBeObservable(expected, {
        '?': '?',
        a: 'a',
        e: 'e',
      });
    }),
  );
});
