import { expect, it } from 'vitest';
import { electionOf } from '../../../src/cli/controller/election-of.ts';

const object = (leaderElection: unknown) => ({
  metadata: { name: 'web' },
  spec: { controller: { leaderElection }, haproxyConfig: 'wrong' },
});
const defaults = {
  enabled: true,
  leaseName: 'haptic-leader',
  leaseDuration: '15s',
  renewDeadline: '10s',
  retryPeriod: '2s',
};

it('takes what a refused configuration says of its election', () => {
  const given = {
    enabled: false,
    leaseName: 'mine',
    leaseDuration: '1m',
    renewDeadline: '40s',
    retryPeriod: '5s',
  };
  expect(electionOf(object(given))).toStrictEqual(given);
});

it.each([
  ['nothing', undefined],
  ['no object', 'x'],
  ['times that are none', { leaseDuration: 'soon' }],
  ['times out of order', { leaseDuration: '5s' }],
  ['times of nothing', { retryPeriod: '0' }],
  ['other types', { enabled: 1, leaseName: 3, leaseDuration: 15 }],
])('takes the defaults where there is %s', (_, given) => {
  expect(electionOf(object(given))).toStrictEqual(defaults);
});

it('takes the defaults without a spec', () => {
  expect(electionOf({ metadata: { name: 'web' } })).toStrictEqual(defaults);
});
