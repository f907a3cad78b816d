import { marbles } from 'rxjs-marbles';
import { map } from 'rxjs';
import { describe, it } from 'vitest';
import { selectedNamespaces, type NamespaceEvent } from '../../../src/streams/selected-namespaces.ts';
import type { WatchEvent } from '../../../src/streams/watch-event.ts';
import { object } from '../../fixtures/kube-stream.ts';

const events: Readonly<Record<string, WatchEvent>> = {
  i: { kind: 'init' },
  a: { kind: 'init-apply', object: object('a@1') },
  b: { kind: 'init-apply', object: object('b@1') },
  d: { kind: 'init-done', resourceVersion: '5' },
  A: { kind: 'apply', object: object('a@6') },
  B: { kind: 'apply', object: object('b@6') },
  X: { kind: 'delete', object: object('a@7') },
  g: { kind: 'degraded', reason: 'forbidden', message: 'no' },
  r: { kind: 'recovered' },
  t: { kind: 'retrying', attempt: 1, delayMs: 5, message: 'no' },
};

const shown = {
  a: 'a',
  b: 'b',
  2: 'a b',
  0: '',
  g: 'forbidden namespaces: no',
  r: 'recovered',
};

const show = () =>
  map((event: NamespaceEvent) =>
    event.kind === 'namespaces'
      ? [...event.names].sort().join(' ')
      : event.kind === 'degraded'
        ? `${event.reason} ${event.message}`
        : event.kind,
  );

describe('selectedNamespaces', () => {
  it(
    'gives the set when all are known, and again whenever it changes',
    marbles((m) => {
      const source = m.hot(' -iad-B-X-', events);
      const subs = '         ^--------!';
      const expected = '     ---a-2-b-';
      m.expect(selectedNamespaces(source).pipe(show()), subs).toBeObservable(expected, shown);
      m.expect(source).toHaveSubscriptions(subs);
    }),
  );

  it(
    'takes changes of a namespace, lists of the same ones, and ends of unknown ones for no news',
    marbles((m) => {
      const source = m.hot(' -ibd-BXB-ibd-', events);
      const subs = '         ^------------!';
      const expected = '     ---b---------';
      m.expect(selectedNamespaces(source).pipe(show()), subs).toBeObservable(expected, shown);
      m.expect(source).toHaveSubscriptions(subs);
    }),
  );

  it(
    'gives the empty set when none is selected, and what a later list has',
    marbles((m) => {
      const source = m.hot(' -id--iabXd-', events);
      const subs = '         ^----------!';
      const expected = '     --0------b-';
      m.expect(selectedNamespaces(source).pipe(show()), subs).toBeObservable(expected, shown);
      m.expect(source).toHaveSubscriptions(subs);
    }),
  );

  it(
    'keeps the set while namespaces cannot be watched, and says so',
    marbles((m) => {
      const source = m.hot(' -iad-t-g-r-', events);
      const subs = '         ^----------!';
      const expected = '     ---a---g-r-';
      m.expect(selectedNamespaces(source).pipe(show()), subs).toBeObservable(expected, shown);
      m.expect(source).toHaveSubscriptions(subs);
    }),
  );
});
