import { marbles } from 'rxjs-marbles';
import { of, throwError } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { DeliveryReport } from '../../../src/protocol/delivery-report.ts';
import type { Plan } from '../../../src/protocol/plan.ts';
import type { HaproxyPod } from '../../../src/protocol/pod.ts';
import { type KeepPlansDeps, type KeptPlan, keepPlans } from '../../../src/sinks/keep-plans.ts';
import { makePlan } from '../../fixtures/make-plan.ts';

const podOf = (key: string): HaproxyPod => ({
  key,
  uid: key,
  address: '10.0.0.1',
  port: 5555,
  containerId: 'c',
});
const one = makePlan({ core: { global: 'global\n' } });
const two = makePlan({ core: { global: 'global\n  maxconn 1\n' } });
const ack = (key: string, plan: Plan, isPlanStored = false): DeliveryReport => ({
  kind: 'acked',
  pod: podOf(key),
  planId: plan.id,
  revision: 1,
  mode: 'runtime',
  reasons: [],
  operations: 0,
  tookMs: 0,
  appliedProof: 'a:7',
  isPlanStored,
  reloaded: false,
});
const values = {
  a: ack('p', one),
  b: ack('p', two),
  s: ack('p', one, true),
  q: ack('q', one),
  f: {
    kind: 'failed',
    pod: podOf('p'),
    planId: one.id,
    revision: 1,
    stage: 'unreachable',
    message: '',
    tookMs: 0,
  } as DeliveryReport,
};
const fleets = { p: [podOf('p')], b: [podOf('p'), podOf('q')] };
const kept = (key: string, plan: Plan, outcome: KeptPlan['outcome']): KeptPlan => ({
  pod: podOf(key),
  planId: plan.id,
  outcome,
});

/** Promises are not virtual in marble time: the encoder's answer comes in the microtask after the frame it was asked in. */
const deps = (
  overrides: Partial<KeepPlansDeps> & Pick<KeepPlansDeps, 'delivery$' | 'fleet$'>,
): KeepPlansDeps => ({
  plans: new Map([one, two].map((plan) => [plan.id, plan])),
  encodePlan: async () => Promise.resolve(new Uint8Array([1])),
  client: { storePlan: () => of(true) },
  delay: 5,
  ...overrides,
});

describe('keepPlans', () => {
  it(
    'waits after a delivery, and asks for the newest plan by then',
    marbles((m) => {
      const asked: string[] = [];
      const delivery$ = m.hot('a--b-----------', values);
      const fleet$ = m.hot('   p--------------', fleets);
      const unsub = '          ^-------------!';
      const kept$ = keepPlans(
        deps({
          delivery$,
          fleet$,
          encodePlan: async (plan) => (asked.push(plan.id), Promise.resolve(undefined)),
        }),
      );
      m.expect(kept$, unsub).toBeObservable('---------------');
      m.expect(delivery$).toHaveSubscriptions(unsub);
      m.expect(fleet$).toHaveSubscriptions(unsub);
      m.flush();
      expect(asked).toEqual([two.id]);
    }),
  );

  it(
    'uploads nothing for pods that have it, that failed, or that are gone',
    marbles((m) => {
      const asked: string[] = [];
      const encodePlan = async (plan: Plan) => (asked.push(plan.id), Promise.resolve(undefined));
      const fleet$ = m.hot('   p--------------', fleets);
      m.expect(
        keepPlans(deps({ delivery$: m.hot('s-f-q-----', values), fleet$, encodePlan })),
        '^--------------!',
      ).toBeObservable('-');
      const gone$ = m.hot('    b-p------------', fleets);
      m.expect(
        keepPlans(deps({ delivery$: m.hot('q---------', values), fleet$: gone$, encodePlan })),
        '^--------------!',
      ).toBeObservable('-');
      m.flush();
      expect(asked).toEqual([]);
    }),
  );

  it('stores the blob under the proof of the applied role', async () => {
    const stored: object[] = [];
    const client: KeepPlansDeps['client'] = { storePlan: (_pod, plan) => (stored.push(plan), of(true)) };
    const seen = await collect(deps({ delivery$: of(values.a), fleet$: of(fleets.p), client, delay: 0 }));
    expect(stored).toEqual([{ id: one.id, proof: 'a:7', blob: new Uint8Array([1]) }]);
    expect(seen).toEqual([kept('p', one, 'stored')]);
  });

  it('tells when the pod has moved on, the plan is too large, or the upload fails', async () => {
    const base = { delivery$: of(values.a), fleet$: of(fleets.p), delay: 0 };
    expect(await collect(deps({ ...base, client: { storePlan: () => of(false) } }))).toEqual([
      kept('p', one, 'moved'),
    ]);
    expect(await collect(deps({ ...base, encodePlan: async () => Promise.resolve(undefined) }))).toEqual([
      kept('p', one, 'too-large'),
    ]);
    const client: KeepPlansDeps['client'] = { storePlan: () => throwError(() => new Error('refused')) };
    expect(await collect(deps({ ...base, client }))).toEqual([kept('p', one, 'failed')]);
  });
});

async function collect(of$: KeepPlansDeps): Promise<KeptPlan[]> {
  const seen: KeptPlan[] = [];
  await new Promise<void>((resolve, reject) => {
    keepPlans(of$).subscribe({ next: (result) => seen.push(result), complete: resolve, error: reject });
  });
  return seen;
}
