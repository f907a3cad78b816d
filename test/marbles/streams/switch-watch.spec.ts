import { marbles } from 'rxjs-marbles';
import { map } from 'rxjs';
import { describe, it } from 'vitest';
import { switchWatch } from '../../../src/streams/switch-watch.ts';
import type { WatchEvent } from '../../../src/streams/watch-event.ts';
import { object, showEvent } from '../../fixtures/kube-stream.ts';

const events: Readonly<Record<string, WatchEvent>> = {
  i: { kind: 'init' },
  a: { kind: 'init-apply', object: object('a@1') },
  d: { kind: 'init-done', resourceVersion: '5' },
  g: { kind: 'degraded', reason: 'vanished', message: 'gone' },
  r: { kind: 'recovered' },
};

const shown = { i: 'init', a: '+a@1', d: 'done@5', g: 'degraded vanished', r: 'recovered' };

describe('switchWatch', () => {
  it(
    'ends a watch when the next begins',
    marbles((m) => {
      const source = m.hot('  x----y---');
      const first = m.cold('  -iad-i---', events);
      const second = m.cold('      -iad', events);
      const subs = '          ^--------!';
      const expected = '      -iad--iad-';
      const watches = { x: first, y: second };
      const watched = source.pipe(switchWatch((key) => watches[key as 'x' | 'y']));
      m.expect(watched.pipe(map(showEvent)), subs).toBeObservable(expected, shown);
      m.expect(first).toHaveSubscriptions(' ^----!');
      m.expect(second).toHaveSubscriptions('-----^---!');
      m.expect(source).toHaveSubscriptions(subs);
    }),
  );

  it(
    'says recovered of a degradation that the former watch left behind, once the next has listed everything',
    marbles((m) => {
      const source = m.hot('  x----y----');
      const first = m.cold('  -iad(g)---', events);
      const second = m.cold('      -ia(d)-d', events);
      const subs = '          ^----------!';
      const expected = '      -iadg-ia(rd)';
      const watches = { x: first, y: second };
      const watched = source.pipe(switchWatch((key) => watches[key as 'x' | 'y']));
      m.expect(watched.pipe(map(showEvent)), subs).toBeObservable(expected, shown);
      m.expect(second).toHaveSubscriptions('-----^-----!');
    }),
  );

  it(
    'says nothing more when the watch itself has recovered',
    marbles((m) => {
      const source = m.hot('  x------y--');
      const first = m.cold('  -g-r------', events);
      const second = m.cold('        -d-', events);
      const subs = '          ^---------!';
      const expected = '      -g-r----d-';
      const watches = { x: first, y: second };
      const watched = source.pipe(switchWatch((key) => watches[key as 'x' | 'y']));
      m.expect(watched.pipe(map(showEvent)), subs).toBeObservable(expected, shown);
      m.expect(first).toHaveSubscriptions('^------!');
    }),
  );

  it(
    'goes on after a watch that has said all, and completes when nothing can follow',
    marbles((m) => {
      const source = m.cold(' x----y-|');
      const first = m.cold('  (id|)', events);
      const second = m.cold('      -i--d|', events);
      const expected = '      (id)--i--d|';
      const watches = { x: first, y: second };
      const watched = source.pipe(switchWatch((key) => watches[key as 'x' | 'y']));
      m.expect(watched.pipe(map(showEvent))).toBeObservable(expected, shown);
      m.expect(first).toHaveSubscriptions('(^!)');
      m.expect(source).toHaveSubscriptions('^------!');
    }),
  );

  it(
    'passes errors of the source and of a watch',
    marbles((m) => {
      const source = m.cold('  x--#');
      const watch = m.cold('   -i---', events);
      const broken = m.cold('  -#');
      m.expect(
        source.pipe(
          switchWatch(() => watch),
          map(showEvent),
        ),
      ).toBeObservable('-i-#', shown);
      m.expect(watch).toHaveSubscriptions('^--!');
      m.expect(m.cold('x-').pipe(switchWatch(() => broken))).toBeObservable('-#');
    }),
  );
});
