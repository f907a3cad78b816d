import { marbles } from 'rxjs-marbles';
import { describe, expect, it } from 'vitest';
import type { LatchState, LatchVerdict } from '../../../src/gate/latch.ts';
import type { Problem } from '../../../src/lib/problem.ts';
import type { DeliveryReport } from '../../../src/protocol/delivery-report.ts';
import type { RenderOutcome } from '../../../src/protocol/render-outcome.ts';
import { logPipeline } from '../../../src/sinks/log-pipeline.ts';
import { makePlan } from '../../fixtures/make-plan.ts';
import { ackOf, failureOf, revertOf } from '../../fixtures/delivery-reports.ts';

type RunContext = Parameters<Parameters<typeof marbles>[0]>[0];

const plan = makePlan({ core: { global: 'global\n' } });
const problem = (name: string): Problem => ({
  severity: 'error',
  reason: 'BackendMissing',
  field: 'spec.rules[0]',
  message: 'no Service',
  owner: { kind: 'Ingress', namespace: 'shop', name },
});
const rendered = (...problems: Problem[]): RenderOutcome => ({
  kind: 'rendered',
  tookMs: 1,
  bundle: { plan, revision: 1, problems },
});
const acked = ackOf('ns/p', plan.id, {
  mode: 'reload',
  reasons: ['core section global changed'],
  tookMs: 1,
  reloaded: true,
});
const renders: Record<string, RenderOutcome> = {
  a: rendered(problem('a')),
  b: rendered(problem('a'), problem('b')),
  n: rendered(),
  x: { kind: 'rejected', message: 'base:3:1: unknown helper', problems: [] },
};
const words = Array.from({ length: 500 }, (_, n) => ({ message: `line ${n}` }));
const verdicts: Record<string, LatchVerdict & { readonly message?: string; readonly output?: string }> = {
  A: { planId: '1', kind: 'accepted' },
  x: { planId: '1', kind: 'refused', findings: words, output: 'x'.repeat(1024 * 1024) },
  u: { planId: '1', kind: 'unchecked', message: 'no such program' },
};
const latches: Record<string, LatchState> = {
  o: { mode: 'optimistic', pinned: false },
  p: { mode: 'pessimistic', pinned: true },
};
const deliveries: Record<string, DeliveryReport> = {
  r: acked,
  n: { ...acked, mode: 'noop', reasons: [] },
  f: failureOf('ns/p', plan.id),
  s: { ...acked, mode: 'scheduled', converged: false },
  o: { ...acked, observed: true },
  d: { ...acked, mode: 'file_only', reasons: [], drifted: ['haproxy.cfg'] },
  k: { ...acked, skew: 'the agent is old' },
  v: revertOf('ns/p', plan.id, 'good'),
};

function logged(
  m: RunContext,
  streams: { render?: string; verdict?: string; latch?: string; delivery?: string },
) {
  const lines: string[] = [];
  const fields: object[] = [];
  const errors: unknown[] = [];
  const line = (level: string) => (given: object, message: string) => {
    lines.push(`${level} ${message}`);
    fields.push(given);
  };
  const sources = {
    render$: m.hot(streams.render ?? '-', renders),
    verdict$: m.hot(streams.verdict ?? '-', verdicts),
    latch$: m.hot(streams.latch ?? '-', latches),
    delivery$: m.hot(streams.delivery ?? '-', deliveries),
  };
  const log = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
  const subscription = logPipeline(sources, log, (error) => errors.push(error));
  m.flush();
  return { lines, fields, errors, subscription, sources };
}

describe('logPipeline', () => {
  it(
    'warns of each problem once while it lasts, and again when it comes back',
    marbles((m) => {
      const { lines, fields } = logged(m, { render: 'a-b-a-n-a' });
      expect(lines.filter((line) => line === 'warn problem')).toHaveLength(3);
      expect(fields).toContainEqual({
        object: 'Ingress shop/a',
        field: 'spec.rules[0]',
        reason: 'BackendMissing',
        severity: 'error',
        detail: 'no Service',
      });
    }),
  );

  it(
    'calls for a human when templates fail as a whole',
    marbles((m) => {
      const { lines, fields } = logged(m, { render: 'x' });
      expect(lines).toEqual(['error render failed, the former one stays']);
      expect(fields).toEqual([{ reason: 'base:3:1: unknown helper' }]);
    }),
  );

  it(
    'warns of refusals and of checks that could not run',
    marbles((m) => {
      const { lines, fields } = logged(m, { verdict: 'Axu' });
      expect(lines).toEqual([
        'debug HAProxy accepts the configuration',
        'warn HAProxy refuses the configuration',
        'warn the configuration could not be checked',
      ]);
      // HAProxy may have a word for every line of a large configuration, and all of its output besides.
      expect(fields[1]).toEqual({ planId: '1', findings: words.slice(0, 10), findingCount: 500 });
      expect(fields[2]).toEqual({ planId: '1', reason: 'no such program' });
    }),
  );

  it(
    'says once that the fleet is held, and once that it is not any more',
    marbles((m) => {
      expect(logged(m, { latch: 'o-p-p-o-o' }).lines).toEqual([
        'error newer renders are refused, the fleet stays where it is',
        'info a render was accepted again',
      ]);
    }),
  );

  it(
    'tells what a delivery cost and why, and stays quiet about pods that are up to date',
    marbles((m) => {
      const { lines, fields } = logged(m, { delivery: 'r-n-f' });
      expect(lines).toEqual(['info delivered', 'debug pod is up to date', 'warn delivery failed']);
      expect(fields[0]).toMatchObject({
        pod: 'ns/p',
        mode: 'reload',
        reasons: ['core section global changed'],
      });
      expect(fields[2]).toMatchObject({ stage: 'unreachable', reason: 'refused' });
    }),
  );

  it(
    'tells of a reload that is to come, and when it has come',
    marbles((m) => {
      const { lines } = logged(m, { delivery: 's-o' });
      expect(lines).toEqual(['info delivered, to be reloaded later', 'info pod was reloaded as scheduled']);
    }),
  );

  it(
    'warns of files that somebody else changed, and of pods that went back',
    marbles((m) => {
      const { lines, fields } = logged(m, { delivery: 'd-v' });
      expect(lines).toEqual([
        'warn files were changed by somebody else',
        'info delivered',
        'warn pod went back to its last known good configuration',
      ]);
      expect(fields[0]).toMatchObject({ files: ['haproxy.cfg'] });
      expect(fields[2]).toMatchObject({ refused: plan.id, planId: 'good' });
    }),
  );

  it(
    'warns of an agent of another release once, and anew when it is one again',
    marbles((m) => {
      const { lines } = logged(m, { delivery: 'k-k-r-k' });
      expect(lines.filter((line) => line.startsWith('warn'))).toHaveLength(2);
    }),
  );

  it(
    'hands an error to onError and lets go of every stream when unsubscribed',
    marbles((m) => {
      const { errors, subscription, sources } = logged(m, { render: 'a#' });
      expect(errors).toEqual(['error']);
      subscription.unsubscribe();
      for (const source of [sources.verdict$, sources.latch$, sources.delivery$]) {
        expect(source.subscriptions.map(({ unsubscribedFrame }) => unsubscribedFrame !== Infinity)).toEqual([
          true,
        ]);
      }
    }),
  );
});
