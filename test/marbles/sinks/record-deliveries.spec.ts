import { Registry } from 'prom-client';
import { marbles } from 'rxjs-marbles';
import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../../src/sinks/metrics.ts';
import { recordDeliveries } from '../../../src/sinks/record-deliveries.ts';
import type { DeploymentProgress } from '../../../src/sinks/track-deployments.ts';
import { ackOf, failureOf, podOf, revertOf } from '../../fixtures/delivery-reports.ts';

type RunContext = Parameters<Parameters<typeof marbles>[0]>[0];

const reports = {
  p: ackOf('p', '1', {
    operations: 3,
    operationKinds: { server_add: 1, server_enable: 1, backend_add: 1 },
    tookMs: 4,
  }),
  q: ackOf('q', '1', { mode: 'reload', reloaded: true, fallback: 'op_rejected' }),
  s: ackOf('q', '1', { mode: 'scheduled', converged: false }),
  o: ackOf('q', '1', { mode: 'reload', reloaded: true, observed: true }),
  d: ackOf('p', '1', { mode: 'file_only', cause: 'drift', drifted: ['haproxy.cfg'] }),
  k: ackOf('p', '1', { mode: 'reload', skew: 'old' }),
  u: failureOf('q', '1'),
  x: failureOf('q', '1', { stage: 'rejected' }),
  v: revertOf('p', '1', '0'),
};
const progress = (extra: Partial<DeploymentProgress>): DeploymentProgress => ({
  planId: '1',
  revision: 1,
  startedAt: 1000,
  tookMs: 0,
  pods: 2,
  converged: 0,
  pending: [],
  failed: [],
  overdue: false,
  ...extra,
});
const steps = {
  a: progress({}),
  b: progress({ converged: 1, pending: ['q'] }),
  o: progress({ converged: 1, overdue: true }),
  c: progress({ converged: 2, tookMs: 500 }),
  l: progress({ converged: 2, tookMs: 9_000_000 }),
  e: progress({ pods: 0 }),
  2: progress({ planId: '2', startedAt: 3000 }),
};
const fleets = { b: [podOf('p'), podOf('q')], p: [podOf('p')] };

function record(m: RunContext, streams: { delivery?: string; deployment?: string; fleet?: string }) {
  const registry = new Registry();
  const sources = {
    delivery$: m.hot(streams.delivery ?? '-', reports),
    deployment$: m.hot(streams.deployment ?? '-', steps),
    fleet$: m.hot(streams.fleet ?? 'b', fleets),
  };
  const errors: unknown[] = [];
  const subscription = recordDeliveries(sources, createMetrics(registry), (error) => errors.push(error));
  m.flush();
  const value = async (name: string) => {
    const metric = (await registry.getMetricsAsJSON()).find((candidate) => candidate.name === name);
    return metric?.values.map(({ labels, value: number }) => [...Object.values(labels), number].join(' '));
  };
  return { value, errors, subscription, sources };
}

/** Everything virtual happens in here; what the registry says of it is promise-ful and comes after. */
function recorded(streams: Parameters<typeof record>[1]): ReturnType<typeof record> {
  let result: ReturnType<typeof record> | undefined;
  marbles((m) => {
    result = record(m, streams);
  })();
  if (result === undefined) throw new Error('nothing was recorded');
  return result;
}

describe('recordDeliveries', () => {
  it('counts deliveries by what they cost, and what was run', async () => {
    const { value } = recorded({ delivery: '-pq' });
    expect(await value('haptic_deploy_apply_total')).toEqual(['p runtime 1', 'q reload 1']);
    expect(await value('haptic_haproxy_reloads_total')).toEqual(['1']);
    expect(await value('haptic_runtime_ops_total')).toEqual(['3']);
    expect(await value('haptic_runtime_server_ops_total')).toEqual(['add 1', 'enable 1']);
    expect(await value('haptic_runtime_backend_ops_total')).toEqual(['add 1']);
    expect(await value('haptic_runtime_backend_fallback_total')).toEqual(['op_rejected 1']);
    expect(await value('haptic_haproxy_fleet_size')).toEqual(['2']);
  });

  it('counts a scheduled reload when it has happened, and its delivery once', async () => {
    const { value } = recorded({ delivery: '-so' });
    expect(await value('haptic_deploy_apply_total')).toEqual(['q scheduled 1']);
    expect(await value('haptic_haproxy_reloads_total')).toEqual(['1']);
  });

  it('counts failures by what failed, and what HAProxy refused by pod', async () => {
    const { value } = recorded({ delivery: '-uxu' });
    expect(await value('haptic_deployment_errors_total')).toEqual([
      'overdue 0',
      'unreachable 2',
      'rejected 1',
    ]);
    expect(await value('haptic_apply_rejected_total')).toEqual(['p 0', 'q 1']);
    expect(await value('haptic_deployment_consecutive_failures')).toEqual(['3']);
  });

  it('counts corrections, old agents and reverts', async () => {
    const { value } = recorded({ delivery: '-dkv' });
    expect(await value('haptic_drift_corrections_total')).toEqual(['1']);
    expect(await value('haptic_agent_version_skew_total')).toEqual(['1']);
    expect(await value('haptic_reverts_total')).toEqual(['1']);
  });

  it('shows the fleet: who runs the released render and who waits for a reload', async () => {
    const { value } = recorded({ deployment: 'ab' });
    expect(await value('haptic_haproxy_fleet_converged')).toEqual(['1']);
    expect(await value('haptic_haproxy_fleet_pending')).toEqual(['1']);
    expect(await value('haptic_deployment_total')).toEqual(['1']);
  });

  it('measures a deployment from its release until every pod runs it, which ends a run of failures', async () => {
    const { value } = recorded({ deployment: 'abc2', delivery: '-u-' });
    expect(await value('haptic_deployment_total')).toEqual(['2']);
    expect(await value('haptic_last_full_sync_timestamp_seconds')).toEqual(['1.5']);
    expect(await value('haptic_deployment_consecutive_failures')).toEqual(['0']);
    const seconds = await value('haptic_deployment_duration_seconds');
    expect(seconds).toContain('0.5 1');
    expect(seconds).toContain('0.25 0');
  });

  it('does not take the return of a pod, or the arrival of the first one, for the time of a deployment', async () => {
    const returned = recorded({ deployment: 'acbl' });
    expect(await returned.value('haptic_deployment_duration_seconds')).toContain('0.5 1');
    expect(await returned.value('haptic_deployment_duration_seconds')).toContain('+Inf 1');
    expect(await returned.value('haptic_last_full_sync_timestamp_seconds')).toEqual(['9001']);
    const arrived = recorded({ deployment: 'el' });
    expect(await arrived.value('haptic_deployment_duration_seconds')).toContain('+Inf 0');
    expect(await arrived.value('haptic_last_full_sync_timestamp_seconds')).toEqual(['9001']);
  });

  it('counts an overdue deployment once', async () => {
    const { value } = recorded({ deployment: 'aooc' });
    expect(await value('haptic_deployment_errors_total')).toEqual(['overdue 1']);
  });

  it('forgets the series of a pod that is gone, and begins none for it', async () => {
    const { value } = recorded({ delivery: '-pqx--sx', fleet: 'b----p' });
    expect(await value('haptic_deploy_apply_total')).toEqual(['p runtime 1']);
    expect(await value('haptic_apply_rejected_total')).toEqual(['p 0']);
    expect(await value('haptic_haproxy_fleet_size')).toEqual(['1']);
  });

  it('hands a stream that errors to onError, and lets go of every stream when unsubscribed', () => {
    marbles((m) => {
      const { errors, subscription, sources } = record(m, { delivery: 'p-#' });
      expect(errors).toEqual(['error']);
      subscription.unsubscribe();
      for (const source$ of [sources.fleet$, sources.deployment$])
        expect(source$.subscriptions.every(({ unsubscribedFrame }) => unsubscribedFrame !== Infinity)).toBe(
          true,
        );
    })();
  });
});
