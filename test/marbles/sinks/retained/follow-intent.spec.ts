import { marbles } from 'rxjs-marbles';
import { delay, map, of } from 'rxjs';
import { describe } from 'vitest';
import { it } from 'vitest';
import type { Leadership } from '../../../../src/protocol/leadership.ts';
import { followIntent } from '../../../../src/sinks/retained/follow-intent.ts';
import { bundleOf } from '../../../fixtures/bundle-of.ts';

const latches = {
  n: {},
  a: { released: bundleOf('a') },
  b: { released: bundleOf('b') },
  c: { released: bundleOf('c') },
};
const leaderships: Readonly<Record<string, Leadership>> = {
  s: { kind: 'standby' },
  x: { kind: 'leading', epoch: 1 },
  y: { kind: 'leading', epoch: 2 },
};
const values = { n: '-', a: 'a sum-a', b: 'b sum-b', c: 'c sum-c' };

describe('what is to be written down of what goes out', () => {
  it(
    'is the newest that a leader lets out, one in each pause; nothing of a standby',
    marbles((m) => {
      const latch$ = m.hot('     na-bc 2s a', latches);
      const leadership$ = m.hot('sx 2s y 2s s', leaderships);
      const intent$ = followIntent({
        latch$,
        leadership$,
        checksum: ({ id }) => of(`sum-${id}`).pipe(delay(1)),
        pause: 1_000,
      }).pipe(map((intent) => (intent === undefined ? '-' : `${intent.planId} ${intent.checksum}`)));
      const unsub = '            ^ 5s !';
      m.expect(intent$, unsub).toBeObservable('-na 1000ms c 999ms nc 1000ms a', values);
      m.expect(latch$).toHaveSubscriptions(unsub);
      m.expect(leadership$).toHaveSubscriptions(unsub);
    }),
  );

  it(
    'is nothing where a leader has no render of its own',
    marbles((m) => {
      const latch$ = m.hot('     n', latches);
      const leadership$ = m.hot('x', leaderships);
      const checksum = () => of('x');
      const intent$ = followIntent({ latch$, leadership$, checksum, pause: 1_000 });
      m.expect(intent$, '        ^ 3s !').toBeObservable('n', { n: undefined });
    }),
  );
});
