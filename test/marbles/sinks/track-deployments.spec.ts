import { marbles } from 'rxjs-marbles';
import { map } from 'rxjs';
import { describe } from 'vitest';
import { it } from 'vitest';
import { type DeploymentProgress, trackDeployments } from '../../../src/sinks/track-deployments.ts';
import { bundleOf } from '../../fixtures/bundle-of.ts';
import { ackOf, failureOf, podOf } from '../../fixtures/delivery-reports.ts';

type RunContext = Parameters<Parameters<typeof marbles>[0]>[0];

const bundles = { 1: bundleOf('1'), 2: bundleOf('2') };
const fleets = { p: [podOf('p')], b: [podOf('p'), podOf('q')], n: [], r: [podOf('p', { uid: 'new' })] };
const reports = {
  p: ackOf('p', '1'),
  q: ackOf('q', '1'),
  P: ackOf('p', '2'),
  s: ackOf('q', '1', { mode: 'scheduled', converged: false }),
  f: failureOf('q', '1'),
  x: ackOf('stranger', '1'),
};
/** `<plan> <converged>/<pods>`, then who waits and who failed, and `!` when overdue. */
const words = map(({ planId, converged, pods, pending, failed, overdue }: DeploymentProgress) =>
  [`${planId} ${converged}/${pods}`, ...pending.map((key) => `~${key}`), ...failed.map((key) => `-${key}`)]
    .join(' ')
    .concat(overdue ? '!' : ''),
);
function track(
  m: RunContext,
  marble: { released: string; fleet: string; delivery: string },
  unsub: string,
  overdueAfter = 6,
) {
  const inputs = {
    released$: m.hot(marble.released, bundles),
    fleet$: m.hot(marble.fleet, fleets),
    delivery$: m.hot(marble.delivery, reports),
    overdueAfter,
  };
  return {
    progress$: trackDeployments(inputs).pipe(words),
    subscriptions: () => {
      m.expect(inputs.fleet$).toHaveSubscriptions(unsub);
      m.expect(inputs.delivery$).toHaveSubscriptions(unsub);
      m.expect(inputs.released$).toHaveSubscriptions(unsub);
    },
  };
}

describe('trackDeployments', () => {
  it(
    'tells how many pods run the render that is out, from its release on',
    marbles((m) => {
      const fleet = '   b------------';
      const released = '--1----------';
      const delivery = '---p-q-------';
      const expected = '--ab-c-------';
      const unsub = '   ^-----------!';
      const { progress$, subscriptions } = track(m, { released, fleet, delivery }, unsub);
      m.expect(progress$, unsub).toBeObservable(expected, { a: '1 0/2', b: '1 1/2', c: '1 2/2' });
      subscriptions();
    }),
  );

  it(
    'takes a pod that waits for its reload for neither converged nor failed',
    marbles((m) => {
      const fleet = '   b------';
      const released = '-1-----';
      const delivery = '--psfq-';
      const expected = '-abcde-';
      const unsub = '   ^-----!';
      const { progress$, subscriptions } = track(m, { released, fleet, delivery }, unsub);
      m.expect(progress$, unsub).toBeObservable(expected, {
        a: '1 0/2',
        b: '1 1/2',
        c: '1 1/2 ~q',
        d: '1 1/2 -q',
        e: '1 2/2',
      });
      subscriptions();
    }),
  );

  it(
    'begins anew with the next render, and hears nothing about it from reports about another',
    marbles((m) => {
      const fleet = '   p------';
      const released = '-1--2--';
      const delivery = '--p--pP';
      const expected = '-ab-c-d';
      const unsub = '   ^------!';
      const { progress$, subscriptions } = track(m, { released, fleet, delivery }, unsub);
      m.expect(progress$, unsub).toBeObservable(expected, { a: '1 0/1', b: '1 1/1', c: '2 0/1', d: '2 1/1' });
      subscriptions();
    }),
  );

  it(
    'says once that a render is overdue, and that it no longer is when every pod runs it',
    marbles((m) => {
      const fleet = '   b-------------';
      const released = '-1------------';
      const delivery = '--p-------q---';
      const expected = '-ab----c--d---';
      const unsub = '   ^------------!';
      const { progress$, subscriptions } = track(m, { released, fleet, delivery }, unsub);
      m.expect(progress$, unsub).toBeObservable(expected, {
        a: '1 0/2',
        b: '1 1/2',
        c: '1 1/2!',
        d: '1 2/2',
      });
      subscriptions();
    }),
  );

  it(
    'calls nothing overdue where no time is set',
    marbles((m) => {
      const marble = { fleet: 'b', released: '-1', delivery: '--p' };
      const { progress$, subscriptions } = track(m, marble, '^------------!', 0);
      m.expect(progress$, '^------------!').toBeObservable('-ab----------', { a: '1 0/2', b: '1 1/2' });
      subscriptions();
    }),
  );

  it(
    'forgets pods that are gone or were replaced, and takes no notice of strangers',
    marbles((m) => {
      const fleet = '   b--pr-----';
      const released = '-1--------';
      const delivery = '--f--px---';
      const expected = '-ab-c--d--';
      const unsub = '   ^--------!';
      const { progress$, subscriptions } = track(m, { released, fleet, delivery }, unsub);
      // What is heard at 5 is about the pod that was there before 4.
      m.expect(progress$, unsub).toBeObservable(expected.replace('-c-', 'c--'), {
        a: '1 0/2',
        b: '1 0/2 -q',
        c: '1 0/1',
        d: '1 0/1!',
      });
      subscriptions();
    }),
  );
});
