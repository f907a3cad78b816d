import { marbles } from 'rxjs-marbles';
import { describe, expect, it } from 'vitest';
import type { Slices } from '../../../src/lib/slices.ts';
import { runInSlices } from '../../../src/operators/run-in-slices.ts';

/** Work of so many steps, each of which takes a millisecond of its own clock. */
function steps(count: number) {
  let clock = 0;
  let begun = 0;
  function* work(): Slices<string> {
    begun++;
    for (let step = 0; step < count; step++) {
      clock++;
      yield;
    }
    return 'r';
  }
  return { work, now: () => clock, begun: () => begun, done: () => clock };
}

describe('runInSlices', () => {
  it(
    'does a little work synchronously',
    marbles((m) => {
      const { work, now } = steps(3);
      const pause$ = m.cold('--p');
      m.expect(runInSlices(work, { pause$, now, sliceMs: 8 })).toBeObservable('(r|)');
      m.expect(pause$).toHaveSubscriptions([]);
    }),
  );

  it(
    'pauses after each slice',
    marbles((m) => {
      const { work, now } = steps(20);
      const pause$ = m.cold('--p');
      m.expect(runInSlices(work, { pause$, now, sliceMs: 8 })).toBeObservable('----(r|)');
      m.expect(pause$).toHaveSubscriptions(['^-!', '--^-!']);
    }),
  );

  it(
    'gives the work up at its next pause when unsubscribed',
    marbles((m) => {
      const { work, now, done } = steps(100);
      const pause$ = m.cold('--p');
      m.expect(runInSlices(work, { pause$, now, sliceMs: 8 }), '^--!').toBeObservable('---');
      m.expect(pause$).toHaveSubscriptions(['^-!', '--^!']);
      m.flush();
      expect(done()).toBe(16);
    }),
  );

  it(
    'has work that is given up let go of what it holds',
    marbles((m) => {
      const { work, now } = steps(100);
      let isHeld = false;
      function* holding(): Slices<string> {
        isHeld = true;
        try {
          return yield* work();
        } finally {
          isHeld = false;
        }
      }
      const pause$ = m.cold('--p');
      m.expect(runInSlices(holding, { pause$, now, sliceMs: 8 }), '^--!').toBeObservable('---');
      m.scheduler.schedule(() => expect(isHeld).toBe(true), m.time('-|'));
      m.flush();
      expect(isHeld).toBe(false);
    }),
  );

  it(
    'passes on what the work throws, in whatever slice',
    marbles((m) => {
      const { work, now } = steps(10);
      function* failing(): Slices<string> {
        yield* work();
        throw new Error('wrong');
      }
      const pause$ = m.cold('--p');
      m.expect(runInSlices(failing, { pause$, now, sliceMs: 8 })).toBeObservable(
        '--#',
        {},
        new Error('wrong'),
      );
    }),
  );

  it(
    'does the work anew for each subscriber',
    marbles((m) => {
      const { work, now, begun } = steps(1);
      const result$ = runInSlices(work, { pause$: m.cold('--p'), now, sliceMs: 8 });
      m.expect(result$).toBeObservable('(r|)');
      m.expect(result$).toBeObservable('(r|)');
      m.flush();
      expect(begun()).toBe(2);
    }),
  );
});
