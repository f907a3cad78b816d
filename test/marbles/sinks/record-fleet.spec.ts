import { Registry } from 'prom-client';
import { marbles } from 'rxjs-marbles';
import { describe, expect, it } from 'vitest';
import type { Fleet } from '../../../src/protocol/fleet.ts';
import { createMetrics } from '../../../src/sinks/metrics.ts';
import { recordFleet } from '../../../src/sinks/record-fleet.ts';
import { podOf } from '../../fixtures/delivery-reports.ts';

const fleets: Record<string, Fleet> = {
  a: { pods: [], rejected: [{ key: 'p', reason: 'no_address' }] },
  b: { pods: [], rejected: [{ key: 'p', reason: 'agent_not_answering', message: 'refused' }] },
  c: { pods: [], rejected: [{ key: 'p', reason: 'agent_not_answering', message: 'refused again' }] },
  p: { pods: [podOf('p')], rejected: [] },
  r: { pods: [podOf('p', { uid: 'other' })], rejected: [] },
  n: { pods: [], rejected: [] },
};

function recorded(marble: string) {
  const registry = new Registry();
  const lines: string[] = [];
  const errors: unknown[] = [];
  marbles((m) => {
    const fleet$ = m.hot(marble, fleets);
    const line = (level: string) => (fields: object, message: string) =>
      lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
    const log = { info: line('info'), warn: line('warn') };
    const subscription = recordFleet(fleet$, createMetrics(registry), log, (error) => errors.push(error));
    m.flush();
    subscription.unsubscribe();
    expect(fleet$.subscriptions.every(({ unsubscribedFrame }) => unsubscribedFrame !== Infinity)).toBe(true);
  })();
  const rejections = async () => {
    const all = await registry.getMetricsAsJSON();
    const metric = all.find(({ name }) => name === 'haptic_haproxy_pods_rejected_total');
    return metric?.values.map(({ labels, value }) => `${labels['reason'] ?? ''} ${value}`);
  };
  return { lines, errors, rejections };
}

describe('recordFleet', () => {
  it('tells of each rejection and each reason once, not of other words for it', async () => {
    const { lines, rejections } = recorded('aabcb');
    expect(lines).toEqual([
      'warn pod cannot be delivered to {"pod":"p","reason":"no_address"}',
      'warn pod cannot be delivered to {"pod":"p","reason":"agent_not_answering","detail":"refused"}',
    ]);
    expect(await rejections()).toEqual(['no_address 1', 'agent_not_answering 1']);
  });

  it('tells who joins and who leaves, also when one takes the place of another', () => {
    expect(recorded('npprn').lines).toEqual([
      'info pod joined the fleet {"pod":"p"}',
      'info pod joined the fleet {"pod":"p"}',
      'info pod left the fleet {"pod":"p"}',
      'info pod left the fleet {"pod":"p"}',
    ]);
  });

  it('counts a pod that is rejected again after it was in', async () => {
    const { rejections } = recorded('bpb');
    expect(await rejections()).toEqual(['agent_not_answering 2']);
  });

  it('hands an error of the stream on', () => {
    expect(recorded('p#').errors).toEqual(['error']);
  });
});
