import { marbles } from 'rxjs-marbles';
import { map, timer } from 'rxjs';
import { describe, it } from 'vitest';
import { createStallWatch } from '../../../src/operators/stall-watch.ts';

/** What is stalled, looked at once. */
const lookedAt = (watch: ReturnType<typeof createStallWatch>, at: number) =>
  timer(at).pipe(map(() => watch.stalled().map(({ stage, for: ms }) => `${stage} ${ms}`)));

describe('stallWatch', () => {
  it(
    'passes everything through, and its subscription is that of the work',
    marbles((m) => {
      const watch = createStallWatch();
      const work = m.cold('   -a-b|');
      const failing = m.cold('-a#');
      m.expect(work.pipe(watch.over('x', 1))).toBeObservable('-a-b|');
      m.expect(failing.pipe(watch.over('x', 1))).toBeObservable('-a#');
      m.expect(work).toHaveSubscriptions('^---!');
      m.expect(failing).toHaveSubscriptions('^-!');
    }),
  );

  it(
    'names a stage that is at one piece of work for longer than it may',
    marbles((m) => {
      const watch = createStallWatch();
      const quick = m.cold('--|');
      const endless = m.cold('a------------');
      m.expect(quick.pipe(watch.over('quick', 5))).toBeObservable('--|');
      m.expect(endless.pipe(watch.over('slow', 5)), '^--------!').toBeObservable('a---------');
      m.expect(lookedAt(watch, 5)).toBeObservable('-----(n|)', { n: [] });
      m.expect(lookedAt(watch, 7)).toBeObservable('-------(s|)', { s: ['slow 7'] });
      // Given up, it is stalled no more.
      m.expect(lookedAt(watch, 10)).toBeObservable('----------(n|)', { n: [] });
      m.expect(endless).toHaveSubscriptions('^--------!');
    }),
  );

  it(
    'looks at the oldest of several pieces, each by its own limit',
    marbles((m) => {
      const watch = createStallWatch();
      const work = m.cold('----------');
      const over = watch.over<string>('x', 3);
      m.expect(work.pipe(over), '-^--------!').toBeObservable('-----------');
      m.expect(work.pipe(over), '--^-------!').toBeObservable('-----------');
      m.expect(work.pipe(watch.over('x', 100)), '^--------!').toBeObservable('----------');
      m.expect(lookedAt(watch, 8)).toBeObservable('--------(s|)', { s: ['x 7'] });
      m.expect(work).toHaveSubscriptions(['^--------!', '-^--------!', '--^-------!']);
    }),
  );
});
