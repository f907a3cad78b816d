import { marbles } from 'rxjs-marbles';
import { NEVER, Subject, filter, map } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { LatchVerdict } from '../../../src/gate/latch.ts';
import type { Bundle } from '../../../src/protocol/bundle.ts';
import type { RenderOutcome } from '../../../src/protocol/render-outcome.ts';
import type { TraceEvent } from '../../../src/protocol/trace-event.ts';
import { traceRevisions } from '../../../src/sinks/trace-revisions.ts';
import { bundleOf } from '../../fixtures/bundle-of.ts';
import { ackOf, failureOf, revertOf } from '../../fixtures/delivery-reports.ts';

type RunContext = Parameters<Parameters<typeof marbles>[0]>[0];

const bundles = { 1: bundleOf('1'), 2: bundleOf('2') };
const rendered = (bundle: Bundle): RenderOutcome => ({ kind: 'rendered', bundle, tookMs: 1 });
const changes = {
  i: { resource: 'ingresses', count: 1, objects: ['~web/shop'] },
  e: { resource: 'endpoints', count: 12, objects: ['+web/a', '-web/b'] },
};
const renders: Record<string, RenderOutcome> = {
  1: rendered(bundles[1]),
  2: rendered(bundles[2]),
  r: { kind: 'rejected', message: 'no such partial', problems: [] },
};
const verdicts: Record<string, LatchVerdict> = {
  a: { kind: 'accepted', planId: '1' },
  b: { kind: 'accepted', planId: '2' },
  n: { kind: 'refused', planId: '1', findings: [{ message: 'no' }, { message: 'nor that' }] },
};
const deliveries = {
  p: ackOf('p', '1', { tookMs: 2, operations: 3 }),
  q: ackOf('q', '1', { tookMs: 4, mode: 'reload', reasons: ['backend a: new'] }),
  P: ackOf('p', '2'),
  d: ackOf('p', '1', { mode: 'noop', cause: 'drift' }),
  f: failureOf('p', '1', { message: 'ECONNREFUSED' }),
  v: revertOf('p', '1', '0'),
  x: ackOf('p', 'unknown'),
};
const deployments = {
  h: { planId: '1', pods: 2, converged: 1 },
  w: { planId: '1', pods: 2, converged: 2 },
  W: { planId: '2', pods: 2, converged: 2 },
};

interface Marbles {
  readonly arrival?: string;
  readonly change?: string;
  readonly render: string;
  readonly verdict?: string;
  readonly delivery?: string;
  readonly deployment?: string;
}

function trace(m: RunContext, marble: Marbles, unsub: string) {
  const inputs = {
    arrival$: m.hot(marble.arrival ?? '-'),
    change$: m.hot(marble.change ?? '-', changes),
    render$: m.hot(marble.render, renders),
    verdict$: m.hot(marble.verdict ?? '-', verdicts),
    delivery$: m.hot(marble.delivery ?? '-', deliveries),
    deployment$: m.hot(marble.deployment ?? '-', deployments),
  };
  return {
    event$: traceRevisions({ ...inputs, prefix: 't' }),
    subscriptions: () => {
      for (const input of Object.values(inputs)) m.expect(input).toHaveSubscriptions(unsub);
    },
  };
}

/** `type id` and what tells one from another. */
const words = map((event: TraceEvent): string => {
  switch (event.type) {
    case 'changes':
      return `${event.id} ${event.resource} ${event.count}`;
    case 'render':
      return `${event.id} render ${event.planId} ${event.cacheState} ${event.changes} after ${event.waitedMs ?? '-'}`;
    case 'rejected':
      return `${event.id} rejected ${event.message}`;
    case 'verdict':
      return `${event.id} ${event.verdict} ${event.planId} +${event.afterMs} ${event.findings}`;
    case 'delivery':
      return `${event.id} ${event.pod} ${event.mode} ${event.sinceChangeMs ?? '-'} ${event.reasons.join()}`;
    case 'revision':
      return `${event.id} in effect ${event.planId} of ${event.renders}`;
  }
});

describe('traceRevisions', () => {
  it(
    'follows a change to its render, the verdict and each pod, under one id',
    marbles((m) => {
      const unsub = '     ^------------!';
      const arrival = '   -x------------';
      const change = '    ---i---------';
      const render = '    ----1--------';
      const delivery = '  ------p-q----';
      const deployment = '------h--w---';
      const verdict = '    ----------a--';
      const expected = '  ---ab-c-d-(ef)';
      const { event$, subscriptions } = trace(
        m,
        { arrival, change, render, verdict, delivery, deployment },
        unsub,
      );
      m.expect(event$.pipe(words), unsub).toBeObservable(expected, {
        a: 't-1 ingresses 1',
        b: 't-1 render 1 cold 1 after 2',
        c: 't-1 p runtime 5 ',
        d: 't-1 q reload 7 backend a: new',
        e: 't-1 accepted 1 +6 0',
        f: 't-1 in effect 1 of 1',
      });
      subscriptions();
    }),
  );

  it(
    'sums up what came into effect: what led to it, times, what it cost the pods',
    marbles((m) => {
      const unsub = '     ^------------!';
      const arrival = '   -x------------';
      const change = '    --e-i---------';
      const render = '    -----1--------';
      const verdict = '    -------a------';
      const delivery = '  --------p-q---';
      const deployment = '-----------w--';
      const expected = '  -----------r--';
      const inputs = { arrival, change, render, verdict, delivery, deployment };
      const { event$, subscriptions } = trace(m, inputs, unsub);
      const revision$ = event$.pipe(filter(({ type }) => type === 'revision'));
      m.expect(revision$, unsub).toBeObservable(expected, {
        r: {
          type: 'revision',
          id: 't-1',
          planId: '1',
          revision: bundles[1].revision,
          trigger: { endpoints: 12, ingresses: 1 },
          objects: ['endpoints +web/a', 'endpoints -web/b', 'ingresses ~web/shop'],
          renders: 1,
          renderMs: 1,
          gateMs: 2,
          applyMs: 4,
          totalMs: 10,
          pods: { runtime: 1, reload: 1 },
          reloads: ['backend a: new'],
        },
      });
      subscriptions();
    }),
  );

  it(
    'waits for both the verdict and the fleet, and tells a revision once',
    marbles((m) => {
      const unsub = '     ^-------------!';
      const render = '    -1---------1---';
      const deployment = '--h------w-----';
      const verdict = '    -------a----a--';
      const expected = '  -r-----v-R-sV--';
      const { event$, subscriptions } = trace(m, { render, deployment, verdict }, unsub);
      m.expect(event$.pipe(words), unsub).toBeObservable(expected, {
        r: 't-1 render 1 cold 0 after -',
        v: 't-1 accepted 1 +6 0',
        R: 't-1 in effect 1 of 1',
        s: 't-2 render 1 replay 0 after -',
        V: 't-2 accepted 1 +1 0',
      });
      subscriptions();
    }),
  );

  it(
    'counts renders that were overtaken with the one that overtook them, and their changes',
    marbles((m) => {
      const unsub = '     ^------------!';
      const arrival = '   -x--x---------';
      const change = '    -i--e---------';
      const render = '    --1--2--------';
      const delivery = '  ------P-------';
      const deployment = '-------W------';
      const verdict = '    --------b-----';
      const expected = '  --------r-----';
      const inputs = { arrival, change, render, delivery, deployment, verdict };
      const { event$, subscriptions } = trace(m, inputs, unsub);
      const told$ = event$.pipe(
        filter((event) => event.type === 'revision'),
        map(({ id, renders: count, trigger, objects, totalMs }) => ({
          id,
          count,
          trigger,
          objects,
          totalMs,
        })),
      );
      m.expect(told$, unsub).toBeObservable(expected, {
        r: {
          id: 't-2',
          count: 2,
          trigger: { ingresses: 1, endpoints: 12 },
          objects: ['ingresses ~web/shop', 'endpoints +web/a', 'endpoints -web/b'],
          totalMs: 7,
        },
      });
      subscriptions();
    }),
  );

  it(
    'tells refusals, failed renders, failed and reverted pods, and nothing of plans that it does not know',
    marbles((m) => {
      const unsub = '   ^---------!';
      const render = '  -r-1-------';
      const verdict = '  ----n------';
      const delivery = '-----xfvd--';
      const expected = '-a-bc-def--';
      const { event$, subscriptions } = trace(m, { render, verdict, delivery }, unsub);
      m.expect(event$.pipe(words), unsub).toBeObservable(expected, {
        a: 't-1 rejected no such partial',
        b: 't-2 render 1 cold 0 after -',
        c: 't-2 refused 1 +1 2',
        d: 't-2 p failed - ECONNREFUSED',
        e: 't-2 p reverted - ',
        f: 't-2 p noop - ',
      });
      subscriptions();
    }),
  );

  it(
    'measures a pod from the change when it takes it first, and no drift pass after that',
    marbles((m) => {
      const unsub = '   ^------!';
      const arrival = ' -x------';
      const render = '  --1-----';
      const delivery = '---p-pd-';
      const expected = '--rp-qd-';
      const { event$, subscriptions } = trace(m, { arrival, render, delivery }, unsub);
      m.expect(event$.pipe(words), unsub).toBeObservable(expected, {
        r: 't-1 render 1 cold 0 after 0',
        p: 't-1 p runtime 2 ',
        q: 't-1 p runtime - ',
        d: 't-1 p noop - ',
      });
      subscriptions();
    }),
  );

  it('follows the newest 64 renders and forgets the others', () => {
    const outcome$ = new Subject<RenderOutcome>();
    const verdict$ = new Subject<LatchVerdict>();
    const told: string[] = [];
    traceRevisions({
      arrival$: NEVER,
      change$: NEVER,
      render$: outcome$,
      verdict$,
      delivery$: NEVER,
      deployment$: NEVER,
      prefix: 't',
    }).subscribe((event) => {
      if (event.type === 'verdict') told.push(event.planId);
    });
    const made = Array.from({ length: 65 }, (_, i) => bundleOf(String(i)));
    for (const bundle of made) outcome$.next(rendered(bundle));
    for (const bundle of made) verdict$.next({ kind: 'accepted', planId: bundle.plan.id });
    expect(told).toStrictEqual(made.slice(1).map(({ plan }) => plan.id));
  });
});
