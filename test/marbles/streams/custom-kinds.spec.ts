import { marbles } from 'rxjs-marbles';
import { describe, it } from 'vitest';
import { customKinds, type CustomKindChange } from '../../../src/streams/custom-kinds.ts';
import type { WatchEvent } from '../../../src/streams/watch-event.ts';
import { object } from '../../fixtures/kube-stream.ts';

const events: Readonly<Record<string, WatchEvent>> = {
  i: { kind: 'init' },
  a: { kind: 'init-apply', object: object('widgets.example.com@1') },
  b: { kind: 'init-apply', object: object('gadgets.example.com@2') },
  d: { kind: 'init-done', resourceVersion: '5' },
  B: { kind: 'apply', object: object('gadgets.example.com@6') },
  X: { kind: 'delete', object: object('widgets.example.com@7') },
  u: { kind: 'delete', object: object('unknown.example.com@7') },
  g: { kind: 'degraded', reason: 'forbidden', message: 'no' },
};

const changes: Readonly<Record<string, CustomKindChange>> = {
  l: { kind: 'listed', name: 'widgets.example.com' },
  c: { kind: 'changed', name: 'gadgets.example.com' },
  w: { kind: 'changed', name: 'widgets.example.com' },
  x: { kind: 'deleted', name: 'widgets.example.com' },
  y: { kind: 'deleted', name: 'gadgets.example.com' },
};

describe('customKinds', () => {
  it(
    'tells what was there, what changes and what goes',
    marbles((m) => {
      const source = m.hot(' -iad-B-X-', events);
      const subs = '         ^--------!';
      const expected = '     ---l-c-x-';
      m.expect(source.pipe(customKinds()), subs).toBeObservable(expected, changes);
      m.expect(source).toHaveSubscriptions(subs);
    }),
  );

  it(
    'tells of a later list only what differs from what was known',
    marbles((m) => {
      const source = m.hot(' -iad--iabd--iad-', events);
      const subs = '         ^---------------!';
      const expected = '     ---l-----c----y-';
      m.expect(source.pipe(customKinds()), subs).toBeObservable(expected, changes);
      m.expect(source).toHaveSubscriptions(subs);
    }),
  );

  it(
    'says nothing of a list that failed midway, of what it did not know, or of troubles',
    marbles((m) => {
      const source = m.hot(' -iad--ig-iad-u-', events);
      const subs = '         ^--------------!';
      const expected = '     ---l-----------';
      m.expect(source.pipe(customKinds()), subs).toBeObservable(expected, changes);
      m.expect(source).toHaveSubscriptions(subs);
    }),
  );

  it(
    'takes back within a list what was deleted while it was listed',
    marbles((m) => {
      const source = m.hot(' -iaXd-a-', events);
      const subs = '         ^-------!';
      m.expect(source.pipe(customKinds()), subs).toBeObservable('--------');
      m.expect(source).toHaveSubscriptions(subs);
    }),
  );

  it(
    'knows the kind again that was deleted and made anew',
    marbles((m) => {
      const again: Readonly<Record<string, WatchEvent>> = {
        ...events,
        A: { kind: 'apply', object: object('widgets.example.com@9') },
      };
      const source = m.hot(' -iad-X-A-', again);
      const subs = '         ^--------!';
      const expected = '     ---l-x-w-';
      m.expect(source.pipe(customKinds()), subs).toBeObservable(expected, changes);
      m.expect(source).toHaveSubscriptions(subs);
    }),
  );
});
