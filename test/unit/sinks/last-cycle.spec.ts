import { expect, test } from 'vitest';
import type { LatchState } from '../../../src/gate/latch.ts';
import { createCycleBook } from '../../../src/sinks/last-cycle.ts';
import { bundleOf } from '../../fixtures/bundle-of.ts';
import { failureOf } from '../../fixtures/delivery-reports.ts';

const timestamp = '1970-01-01T00:00:00.000Z';
const book = () => createCycleBook(() => 0);
const progress = {
  planId: '1',
  revision: 1,
  startedAt: 0,
  tookMs: 7,
  pods: 2,
  converged: 2,
  pending: [],
  failed: [],
  overdue: false,
};

test('each phase tells how it ended last', () => {
  const { onRender, onVerdict, onLatch, onDeployment, last } = book();
  expect(last()).toStrictEqual({});
  onRender({ kind: 'rendered', bundle: bundleOf('1'), tookMs: 3 });
  onVerdict({ kind: 'accepted', planId: '1' });
  onLatch({ mode: 'optimistic', pinned: false, validatedPlanId: '1' } satisfies LatchState);
  onDeployment(progress);
  expect(last()).toStrictEqual({
    rendering: { status: 'succeeded', timestamp, durationMs: 3, planId: '1' },
    validation: { status: 'succeeded', timestamp, planId: '1' },
    validated: { planId: '1', timestamp },
    deployment: {
      status: 'succeeded',
      timestamp,
      durationMs: 7,
      planId: '1',
      endpointsTotal: 2,
      endpointsSucceeded: 2,
      endpointsPending: [],
      endpointsFailed: [],
    },
  });
});

test('what failed last is remembered when it goes well again', () => {
  const { onRender, onVerdict, onDelivery, last, errors } = book();
  onRender({ kind: 'rejected', message: 'no such partial', problems: [] });
  onVerdict({ kind: 'refused', planId: '1', findings: [{ message: 'a' }, { message: 'b' }] });
  onDelivery(failureOf('ns/p', '1', { stage: 'timeout', message: 'no answer' }));
  expect(last().rendering?.status).toBe('failed');
  expect(last().validation).toStrictEqual({ status: 'failed', timestamp, planId: '1', errors: ['a', 'b'] });
  onRender({ kind: 'rendered', bundle: bundleOf('2'), tookMs: 1 });
  onVerdict({ kind: 'unchecked', planId: '2', message: 'HAProxy is missing' });
  expect(last().rendering?.status).toBe('succeeded');
  expect(last().validation?.status).toBe('pending');
  expect(errors()).toStrictEqual({
    rendering: { timestamp, message: 'no such partial' },
    validation: { timestamp, message: 'HAProxy is missing' },
    deployment: { timestamp, message: 'ns/p (timeout): no answer' },
  });
});

test.each([
  [{ converged: 1, pending: ['ns/p'] }, 'pending'],
  [{ converged: 1, failed: ['ns/p'] }, 'failed'],
  [{ converged: 1, overdue: true }, 'failed'],
  [{ pods: 0, converged: 0 }, 'pending'],
])('a deployment with %j is %s', (part, status) => {
  const { onDeployment, last } = book();
  onDeployment({ ...progress, ...part });
  expect(last().deployment?.status).toBe(status);
});
