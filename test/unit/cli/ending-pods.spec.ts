import pino from 'pino';
import { map, of } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import type { Controller } from '../../../src/cli/controller/controller-deps.ts';
import { readConfig } from '../../../src/cli/read-config.ts';
import { startController } from '../../../src/cli/start-controller.ts';
import type { AgentClient } from '../../../src/fleet/agent-client.ts';
import type { Fleet } from '../../../src/protocol/fleet.ts';
import type { HaproxyPod } from '../../../src/protocol/pod.ts';
import { softStopCode } from '../../../src/protocol/wire.ts';
import type { DeploymentProgress } from '../../../src/sinks/track-deployments.ts';
import { acceptingAgent } from '../../bench/lib/accepting-agent.ts';
import {
  endpointSliceOf,
  haproxyPod,
  ingressClass,
  ingressOf,
  routeOf,
  serviceOf,
} from '../../bench/lib/route-objects.ts';
import { scriptedApi } from '../../bench/lib/scripted-api.ts';

const started: Controller[] = [];
afterEach(async () => {
  for (const controller of started.splice(0)) await controller.stop();
});

const stays = haproxyPod('10.0.0.1', 1);
const ends = haproxyPod('10.0.0.2', 2);
const ending = { ...ends, metadata: { ...ends.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };

/** A controller of two pods; `sent` is who got an apply, in order. */
async function start(features: readonly string[]) {
  const agent = acceptingAgent();
  const sent: string[] = [];
  let refuses = (_pod: HaproxyPod) => false;
  const client: AgentClient = {
    ...agent,
    state: (pod, options) =>
      agent
        .state(pod, options)
        .pipe(map((state) => ({ ...state, features: [...state.features, ...features] }))),
    apply: (pod, request, mayLeave) => {
      sent.push(pod.key);
      return refuses(pod)
        ? of({
            kind: 'refused',
            status: 503,
            error: { stage: 'soft_stop', code: softStopCode, message: 'HAProxy ends' },
          })
        : agent.apply(pod, request, mayLeave);
    },
  };
  const api = scriptedApi({ ingressclasses: [ingressClass], pods: [stays, ends] });
  const controller = startController({
    config: await readConfig(`${import.meta.dirname}/../../../charts/haptic/libraries`, []),
    transport: api.transport,
    client,
    check: (plan) => of({ kind: 'accepted', planId: plan.id, warnings: [] }),
    capabilities: {},
    watchTimeoutSeconds: 290,
    log: pino({ level: 'silent' }),
    onFatal: (error) => {
      throw error;
    },
  });
  started.push(controller);
  let progress: DeploymentProgress | undefined;
  controller.debug.taps.watch('deployments')?.subscribe((value) => (progress = value as DeploymentProgress));
  let found: Fleet | undefined;
  controller.debug.taps.watch('pods')?.subscribe((value) => (found = value as Fleet));
  let routes = 0;
  return {
    api,
    sent,
    refuse: (pod: string) => (refuses = ({ key }) => key === pod),
    converged: (pods: number) =>
      expect.poll(() => progress).toMatchObject({ pods, converged: pods, pending: [] }),
    leaving: (pods: number) => expect.poll(() => found?.leaving).toHaveLength(pods),
    change: async () => {
      const before = progress?.planId;
      sent.length = 0;
      const route = routeOf(routes++);
      api.push('services', 'ADDED', serviceOf(route));
      api.push('endpointslices', 'ADDED', endpointSliceOf(route));
      api.push('ingresses', 'ADDED', ingressOf(route));
      await expect.poll(() => progress?.planId).not.toBe(before);
    },
    metric: async (name: string) => {
      const found = await controller.registry.getSingleMetric(name)?.get();
      return found?.values.reduce((sum, { value }) => sum + value, 0);
    },
  };
}

describe('a HAProxy pod that ends', () => {
  it('gets what the others get, and counts for nothing; what it refuses is told nowhere', async () => {
    const { api, sent, refuse, converged, leaving, change, metric } = await start(['soft_stop']);
    await converged(2);
    api.push('pods', 'MODIFIED', ending);
    await converged(1);
    await leaving(1);
    expect(await metric('haptic_haproxy_fleet_size')).toBe(1);
    await change();
    await expect.poll(() => [...new Set(sent)].sort()).toEqual(['haptic/haproxy-1', 'haptic/haproxy-2']);
    await converged(1);

    refuse('haptic/haproxy-2');
    await change();
    await expect.poll(() => sent).toContain('haptic/haproxy-2');
    await converged(1);
    expect(await metric('haptic_deployment_errors_total')).toBe(0);
    expect(await metric('haptic_deployment_consecutive_failures')).toBe(0);

    api.push('pods', 'DELETED', ending);
    await leaving(0);
    await change();
    await converged(1);
    expect(new Set(sent)).toEqual(new Set(['haptic/haproxy-1']));
  });

  it('gets nothing more if its agent would reload a HAProxy that ends', async () => {
    const { api, sent, converged, change } = await start([]);
    await converged(2);
    api.push('pods', 'MODIFIED', ending);
    await converged(1);
    await change();
    await converged(1);
    expect(new Set(sent)).toEqual(new Set(['haptic/haproxy-1']));
  });
});
