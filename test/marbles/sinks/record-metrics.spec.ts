import { Registry } from 'prom-client';
import { marbles } from 'rxjs-marbles';
import { describe, expect, it } from 'vitest';
import type { Problem } from '../../../src/lib/problem.ts';
import type { LatchState, LatchVerdict } from '../../../src/gate/latch.ts';
import type { HaproxyPod } from '../../../src/protocol/pod.ts';
import type { RenderOutcome } from '../../../src/protocol/render-outcome.ts';
import type { DeliveryReport } from '../../../src/protocol/delivery-report.ts';
import { createMetrics } from '../../../src/sinks/metrics.ts';
import { recordMetrics } from '../../../src/sinks/record-metrics.ts';
import { bundleOf } from '../../fixtures/bundle-of.ts';

type RunContext = Parameters<Parameters<typeof marbles>[0]>[0];

const owner = { kind: 'Ingress', namespace: 'a', name: 'b' };
const problem = (severity: Problem['severity']): Problem => ({
  severity,
  reason: 'R',
  field: '',
  message: '',
  owner,
});
const pod = (key: string): HaproxyPod => ({
  key,
  uid: key,
  address: '10.0.0.1',
  port: 5555,
  containerId: 'c',
});
const ack = (key: string, planId: string, extra: Partial<DeliveryReport> = {}): DeliveryReport =>
  ({
    kind: 'acked',
    pod: pod(key),
    planId,
    revision: 1,
    mode: 'runtime',
    reasons: [],
    operations: 2,
    tookMs: 4,
    appliedProof: 'a:1',
    isPlanStored: false,
    reloaded: false,
    ...extra,
  }) as DeliveryReport;
const failed: DeliveryReport = {
  kind: 'failed',
  pod: pod('q'),
  planId: '1',
  revision: 1,
  stage: 'rejected',
  message: '',
  tookMs: 1,
};
const released: LatchState = { mode: 'optimistic', pinned: false, released: bundleOf('1') };
const pinned: LatchState = { ...released, mode: 'pessimistic', pinned: true };

function record(
  m: RunContext,
  streams: { render?: string; verdict?: string; latch?: string; delivery?: string; fleet?: string },
) {
  const registry = new Registry();
  const renders: Record<string, RenderOutcome> = {
    r: {
      kind: 'rendered',
      bundle: bundleOf('1', [problem('error'), problem('warning'), problem('warning')]),
      tookMs: 3,
    },
    x: { kind: 'rejected', message: 'no', problems: [] },
  };
  const verdicts: Record<string, LatchVerdict> = {
    A: { planId: '1', kind: 'accepted' },
    x: { planId: '1', kind: 'refused' },
  };
  const deliveries = {
    p: ack('p', '1'),
    q: ack('q', '1', { mode: 'reload', reloaded: true }),
    s: ack('q', '1', { mode: 'scheduled' }),
    f: failed,
  };
  const sources = {
    render$: m.hot(streams.render ?? '-', renders),
    verdict$: m.hot(streams.verdict ?? '-', verdicts),
    latch$: m.hot(streams.latch ?? '-', { r: released, p: pinned }),
    delivery$: m.hot(streams.delivery ?? '-', deliveries),
    fleet$: m.hot(streams.fleet ?? '-', { b: [pod('p'), pod('q')], p: [pod('p')] }),
  };
  const errors: unknown[] = [];
  const subscription = recordMetrics(sources, createMetrics(registry), (error) => errors.push(error));
  m.flush();
  const value = async (name: string) => {
    const metric = (await registry.getMetricsAsJSON()).find((candidate) => candidate.name === name);
    return metric?.values.map(({ labels, value: number }) => [...Object.values(labels), number].join(' '));
  };
  return { value, errors, subscription, sources };
}

describe('recordMetrics', () => {
  it('counts renders, failed renders and the problems of the newest render', async () => {
    let recorded: ReturnType<typeof record> | undefined;
    marbles((m) => {
      recorded = record(m, { render: 'r-x-r' });
    })();
    expect(await recorded?.value('haptic_reconciliation_total')).toEqual(['3']);
    expect(await recorded?.value('haptic_reconciliation_errors_total')).toEqual(['1']);
    expect(await recorded?.value('haptic_problems')).toEqual(['error 1', 'warning 2']);
  });

  it('counts verdicts and shows that the fleet is pinned', async () => {
    let recorded: ReturnType<typeof record> | undefined;
    marbles((m) => {
      recorded = record(m, { verdict: 'A-x-x', latch: 'r---p' });
    })();
    expect(await recorded?.value('haptic_validation_total')).toEqual(['accepted 1', 'refused 2']);
    expect(await recorded?.value('haptic_config_pinned')).toEqual(['1']);
  });

  it('counts deliveries by what they cost, and shows who runs the released render', async () => {
    let recorded: ReturnType<typeof record> | undefined;
    marbles((m) => {
      recorded = record(m, { latch: 'r', fleet: 'b', delivery: '-pq' });
    })();
    expect(await recorded?.value('haptic_deploy_apply_total')).toEqual(['p runtime 1', 'q reload 1']);
    expect(await recorded?.value('haptic_haproxy_reloads_total')).toEqual(['1']);
    expect(await recorded?.value('haptic_runtime_ops_total')).toEqual(['4']);
    expect(await recorded?.value('haptic_haproxy_fleet_size')).toEqual(['2']);
    expect(await recorded?.value('haptic_haproxy_fleet_converged')).toEqual(['2']);
  });

  it('counts neither a failed nor a scheduled pod as converged', async () => {
    let recorded: ReturnType<typeof record> | undefined;
    marbles((m) => {
      recorded = record(m, { latch: 'r', fleet: 'b', delivery: '-pqf' });
    })();
    expect(await recorded?.value('haptic_haproxy_fleet_converged')).toEqual(['1']);
    expect(await recorded?.value('haptic_apply_rejected_total')).toEqual(['q rejected 1']);
    marbles((m) => {
      recorded = record(m, { latch: 'r', fleet: 'b', delivery: '-pqs' });
    })();
    expect(await recorded?.value('haptic_haproxy_fleet_converged')).toEqual(['1']);
  });

  it('forgets the series of a pod that is gone', async () => {
    let recorded: ReturnType<typeof record> | undefined;
    marbles((m) => {
      recorded = record(m, { latch: 'r', fleet: 'b---p', delivery: '-pq' });
    })();
    expect(await recorded?.value('haptic_deploy_apply_total')).toEqual(['p runtime 1']);
    expect(await recorded?.value('haptic_haproxy_fleet_converged')).toEqual(['1']);
    expect(await recorded?.value('haptic_haproxy_fleet_size')).toEqual(['1']);
  });

  it('hands a stream that errors to onError, and lets go of every stream when unsubscribed', () => {
    marbles((m) => {
      const { errors, subscription, sources } = record(m, { render: 'r-#' });
      expect(errors).toEqual(['error']);
      subscription.unsubscribe();
      expect(
        sources.latch$.subscriptions.every(({ unsubscribedFrame }) => unsubscribedFrame !== Infinity),
      ).toBe(true);
    })();
  });
});
