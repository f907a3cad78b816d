import { Registry } from 'prom-client';
import { NEVER, of } from 'rxjs';
import { marbles } from 'rxjs-marbles';
import { describe, expect, it } from 'vitest';
import type { Problem } from '../../../src/lib/problem.ts';
import type { LatchState, LatchVerdict } from '../../../src/gate/latch.ts';
import type { RenderOutcome } from '../../../src/protocol/render-outcome.ts';
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
const released: LatchState = { mode: 'optimistic', pinned: false, released: bundleOf('1') };
const pinned: LatchState = { ...released, mode: 'pessimistic', pinned: true };

function record(m: RunContext, streams: { render?: string; verdict?: string; latch?: string }) {
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
  const sources = {
    render$: m.hot(streams.render ?? '-', renders),
    verdict$: m.hot(streams.verdict ?? '-', verdicts),
    latch$: m.hot(streams.latch ?? '-', { r: released, p: pinned }),
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
  it.each([
    ['r-x', '1'],
    ['r-x-r', '0'],
  ])('tells after %s that the newest render failed: %s', async (render, failing) => {
    let recorded: ReturnType<typeof record> | undefined;
    marbles((m) => {
      recorded = record(m, { render });
    })();
    expect(await recorded?.value('haptic_reconciliation_failing')).toEqual([failing]);
  });

  it('counts renders, failed renders and the problems of the newest render', async () => {
    let recorded: ReturnType<typeof record> | undefined;
    marbles((m) => {
      recorded = record(m, { render: 'r-x-r' });
    })();
    expect(await recorded?.value('haptic_reconciliation_total')).toEqual(['3']);
    expect(await recorded?.value('haptic_reconciliation_errors_total')).toEqual(['1']);
    expect(await recorded?.value('haptic_problems')).toEqual(['error 1', 'warning 2']);
  });

  it('counts a list of problems once, however many renders have it', () => {
    let looks = 0;
    const problems = [problem('error'), problem('warning')].map((one) =>
      Object.defineProperty({ ...one }, 'severity', { get: () => (looks++, one.severity) }),
    );
    const outcome = (n: number): RenderOutcome => ({
      kind: 'rendered',
      bundle: bundleOf(String(n), problems),
      tookMs: 1,
    });
    const metrics = createMetrics(new Registry());
    const idle = { verdict$: NEVER, latch$: NEVER };
    const render$ = of(outcome(1), outcome(2), outcome(3));
    recordMetrics({ ...idle, render$ }, metrics, (error) => {
      throw error;
    }).unsubscribe();
    expect(looks).toBe(2);
  });

  it('counts verdicts and shows that the fleet is pinned', async () => {
    let recorded: ReturnType<typeof record> | undefined;
    marbles((m) => {
      recorded = record(m, { verdict: 'A-x-x', latch: 'r---p' });
    })();
    expect(await recorded?.value('haptic_validation_total')).toEqual([
      'accepted 1',
      'refused 2',
      'unchecked 0',
    ]);
    expect(await recorded?.value('haptic_config_pinned')).toEqual(['1']);
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
