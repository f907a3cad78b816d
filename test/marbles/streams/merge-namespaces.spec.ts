import { marbles } from 'rxjs-marbles';
import { map, NEVER, type Observable } from 'rxjs';
import { describe, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { mergeNamespaces } from '../../../src/streams/merge-namespaces.ts';
import type { WatchEvent } from '../../../src/streams/watch-event.ts';
import { showEvent } from '../../fixtures/kube-stream.ts';

/** `x/a@1` in the namespace x. */
const inNamespace = (text: string): KubeObject => {
  const [namespace = '', rest = ''] = text.split('/');
  const [name = '', resourceVersion = ''] = rest.split('@');
  return { metadata: { namespace, name, uid: `uid-${name}`, resourceVersion } };
};

/** Both namespaces have objects of their own: a and b in x, p in y. */
const events: Readonly<Record<string, WatchEvent>> = {
  i: { kind: 'init' },
  a: { kind: 'init-apply', object: inNamespace('x/a@1') },
  b: { kind: 'init-apply', object: inNamespace('x/b@1') },
  p: { kind: 'init-apply', object: inNamespace('y/p@2') },
  d: { kind: 'init-done', resourceVersion: '5' },
  A: { kind: 'apply', object: inNamespace('x/a@6') },
  B: { kind: 'apply', object: inNamespace('x/b@6') },
  X: { kind: 'delete', object: inNamespace('x/a@7') },
  g: { kind: 'degraded', reason: 'forbidden', message: 'no' },
  v: { kind: 'degraded', reason: 'vanished', message: 'no' },
  r: { kind: 'recovered' },
  t: { kind: 'retrying', attempt: 1, delayMs: 5, message: 'no' },
  n: { kind: 'absent', message: 'no' },
  e: { kind: 'empty-unconfirmed', held: 2 },
};

const shown = {
  i: 'init',
  a: '+a@1',
  b: '+b@1',
  p: '+p@2',
  d: 'done@5',
  D: 'done@',
  A: 'apply a@6',
  B: 'apply b@6',
  P: 'apply p@2',
  1: 'apply a@1',
  2: 'apply b@1',
  X: 'delete a@7',
  w: 'delete a@6',
  W: 'delete a@1',
  V: 'delete b@1',
  q: 'delete p@2',
  g: 'degraded forbidden',
  v: 'degraded vanished',
  r: 'recovered',
  t: 'retry 1 in 5',
  n: 'absent',
  e: 'empty? had 2',
};

const sets = { x: new Set(['x']), y: new Set(['y']), b: new Set(['x', 'y']), 0: new Set<string>() };

function merged(
  namespaces$: Observable<ReadonlySet<string>>,
  watches: Readonly<Record<string, Observable<WatchEvent>>>,
) {
  return mergeNamespaces(namespaces$, (namespace) => watches[namespace] ?? NEVER).pipe(map(showEvent));
}

describe('mergeNamespaces', () => {
  it(
    'ends its first bracket when every namespace was listed, and passes what happens from then on',
    marbles((m) => {
      const names = m.cold(' b', sets);
      const x = m.cold('     -iad-A------X---', events);
      const y = m.cold('     ---ip-d---------', events);
      const subs = '         ^---------------!';
      const expected = '     ------(ilpd)X---';
      m.expect(merged(names, { x, y }), subs).toBeObservable(expected, { ...shown, l: '+a@6' });
      m.expect(x).toHaveSubscriptions(subs);
      m.expect(y).toHaveSubscriptions(subs);
    }),
  );

  it(
    'waits for every namespace, also when the watches answer at once',
    marbles((m) => {
      const names = m.cold(' b', sets);
      const x = m.cold('     (iad)', events);
      const y = m.cold('     (ipd)', events);
      const subs = '         ^-----!';
      m.expect(merged(names, { x, y }), subs).toBeObservable('(iapd)', shown);
      m.expect(y).toHaveSubscriptions(subs);
    }),
  );

  it(
    'adds a namespace that comes once it was listed, and takes one out that goes',
    marbles((m) => {
      const names = m.cold(' x-------b-----y-', sets);
      const x = m.cold('     -iad--------A---', events);
      const y = m.cold('             -ipd----', events);
      const subs = '         ^---------------!';
      const expected = '     ---(iad)---PA-w-';
      m.expect(merged(names, { x, y }), subs).toBeObservable(expected, shown);
      m.expect(x).toHaveSubscriptions('^-------------!');
      m.expect(y).toHaveSubscriptions('--------^-------!');
    }),
  );

  it(
    'passes a later list of a namespace as the changes that it is',
    marbles((m) => {
      const names = m.cold(' x', sets);
      const x = m.cold('     -iad------iaXbd-', events);
      const subs = '         ^----------------!';
      m.expect(merged(names, { x }), subs).toBeObservable('---(iad)------(W2)', shown);
      m.expect(x).toHaveSubscriptions(subs);
    }),
  );

  it(
    'is complete at once without namespaces, and empty again when the last goes',
    marbles((m) => {
      const names = m.cold(' 0----x----0--', sets);
      const x = m.cold('          -iad----', events);
      const subs = '         ^------------!';
      const expected = '     (iD)----1-W--';
      m.expect(merged(names, { x }), subs).toBeObservable(expected, shown);
      m.expect(x).toHaveSubscriptions('-----^----!');
    }),
  );

  it(
    'does not wait for a namespace that goes before it was listed',
    marbles((m) => {
      const names = m.cold(' b---x---', sets);
      const x = m.cold('     -iad----', events);
      const y = m.cold('     --------', events);
      const subs = '         ^--------!';
      const expected = '     ----(iaD)';
      m.expect(merged(names, { x, y }), subs).toBeObservable(expected, shown);
      m.expect(y).toHaveSubscriptions('^---!');
    }),
  );

  it(
    'is degraded while one of them is, and names it',
    marbles((m) => {
      const names = m.cold(' b', sets);
      const x = m.cold('     (id)--g---r----', events);
      const y = m.cold('     (id)----v---r--', events);
      const subs = '         ^--------------!';
      const expected = '     (id)--g---v-r--';
      m.expect(merged(names, { x, y }), subs).toBeObservable(expected, shown);
      const told$ = mergeNamespaces(names, (name) => (name === 'x' ? x : y)).pipe(
        map((event) => (event.kind === 'degraded' ? event.message : event.kind)),
      );
      const words = { i: 'init', d: 'init-done', g: 'namespace x: no', v: 'namespace y: no', r: 'recovered' };
      m.expect(told$, subs).toBeObservable(expected, words);
      m.expect(x).toHaveSubscriptions([subs, subs]);
    }),
  );

  it(
    'is well again when the namespace in trouble goes',
    marbles((m) => {
      const names = m.cold(' b------x--', sets);
      const x = m.cold('     (id)------', events);
      const y = m.cold('     (id)-g----', events);
      const subs = '         ^---------!';
      const expected = '     (id)-g-r--';
      m.expect(merged(names, { x, y }), subs).toBeObservable(expected, shown);
      m.expect(y).toHaveSubscriptions('^------!');
    }),
  );

  it(
    'says absent once, and what its watches say about themselves',
    marbles((m) => {
      const names = m.cold(' b', sets);
      const x = m.cold('     -n-t-e-', events);
      const y = m.cold('     -n-----', events);
      const subs = '         ^------!';
      m.expect(merged(names, { x, y }), subs).toBeObservable('-n-t-e-', shown);
      m.expect(y).toHaveSubscriptions(subs);
    }),
  );

  it(
    'passes errors of the names and of a watch',
    marbles((m) => {
      const names = m.cold(' x----#', sets);
      const x = m.cold('     (id)--', events);
      const broken = m.cold('-#');
      m.expect(merged(names, { x })).toBeObservable('(id)-#', shown);
      m.expect(merged(m.cold('x', sets), { x: broken })).toBeObservable('-#', shown);
      m.expect(x).toHaveSubscriptions('^----!');
      m.expect(broken).toHaveSubscriptions('^!');
    }),
  );
});
