import { marbles } from 'rxjs-marbles';
import { of, throwError } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { PlanStored } from '../../../src/fleet/agent-client.ts';
import type { Plan } from '../../../src/protocol/plan.ts';
import { type KeepPlansDeps, type KeptPlan, keepPlans } from '../../../src/sinks/keep-plans.ts';
import { ackOf, failureOf, podOf } from '../../fixtures/delivery-reports.ts';
import { makePlan } from '../../fixtures/make-plan.ts';

const one = makePlan({ core: { global: 'global\n' } });
const two = makePlan({ core: { global: 'global\n  maxconn 1\n' } });
const blob = new Uint8Array([1]);
const ack = (key: string, plan: Plan, isPlanStored = false) =>
  ackOf(key, plan.id, { appliedProof: 'a:7', isPlanStored });
const values = {
  a: ack('p', one),
  A: ack('p', one),
  b: ack('p', two),
  s: ack('p', one, true),
  q: ack('q', one),
  f: failureOf('p', one.id),
  r: ackOf('p', one.id, { pod: podOf('p', { uid: 'other' }) }),
};
const fleets = { p: [podOf('p')], b: [podOf('p'), podOf('q')], n: [podOf('p', { uid: 'other' })] };
const kept = (key: string, plan: Plan, outcome: KeptPlan['outcome']): KeptPlan => ({
  pod: podOf(key),
  planId: plan.id,
  outcome,
});
const outcomes = {
  S: kept('p', one, 'stored'),
  T: kept('p', two, 'stored'),
  Q: kept('q', one, 'stored'),
  M: kept('p', one, 'moved'),
  L: kept('p', one, 'too-large'),
  U: kept('p', one, 'unsupported'),
  F: kept('p', one, 'failed'),
};

const deps = (
  overrides: Partial<KeepPlansDeps> & Pick<KeepPlansDeps, 'delivery$' | 'fleet$'>,
): KeepPlansDeps => ({
  plans: new Map([one, two].map((plan) => [plan.id, plan])),
  blobs: { encode: () => of(blob) },
  client: { storePlan: () => of('stored') },
  isHeld: () => true,
  delay: 3,
  ...overrides,
});

describe('keepPlans', () => {
  it(
    'waits after a delivery, and leaves the newest plan by then, under the proof of the applied role',
    marbles((m) => {
      const stored: object[] = [];
      const delivery$ = m.hot('a-b------------', values);
      const fleet$ = m.hot('   p--------------', fleets);
      const answer = m.cold('     --s|', { s: 'stored' as const });
      const asubs = '          ---^--!';
      const expected = '       -----T---------';
      const unsub = '          ^-------------!';
      const client: KeepPlansDeps['client'] = { storePlan: (_pod, plan) => (stored.push(plan), answer) };
      m.expect(keepPlans(deps({ delivery$, fleet$, client })), unsub).toBeObservable(expected, outcomes);
      m.expect(delivery$).toHaveSubscriptions(unsub);
      m.expect(fleet$).toHaveSubscriptions(unsub);
      m.expect(answer).toHaveSubscriptions(asubs);
      m.flush();
      expect(stored).toEqual([{ id: two.id, proof: 'a:7', blob }]);
    }),
  );

  it(
    'uploads to one pod once at a time, and to two pods side by side',
    marbles((m) => {
      const delivery$ = m.hot('aq--a----------', values);
      const fleet$ = m.hot('   b--------------', fleets);
      const answer = m.cold('     --s|', { s: 'stored' as const });
      const unsub = '          ^--------------!';
      const client: KeepPlansDeps['client'] = { storePlan: () => answer };
      m.expect(keepPlans(deps({ delivery$, fleet$, client })), unsub).toBeObservable(
        '                      -----SQ---------',
        outcomes,
      );
      m.expect(answer).toHaveSubscriptions(['---^--!', '----^--!']);
    }),
  );

  it(
    'keeps no pod waiting longer than the others because there are many: two uploads at a time, and waiting is none',
    marbles((m) => {
      const keys = ['p', 'q', 'r', 's'];
      const acks = Object.fromEntries(keys.map((key) => [key, ack(key, one)]));
      const stored = Object.fromEntries(keys.map((key) => [key, kept(key, one, 'stored')]));
      const delivery$ = m.hot('(pqrs)---------', acks);
      const fleet$ = m.hot('   f--------------', { f: keys.map((key) => podOf(key)) });
      const answer = m.cold('     ---s|', { s: 'stored' as const });
      const client: KeepPlansDeps['client'] = { storePlan: () => answer };
      m.expect(keepPlans(deps({ delivery$, fleet$, client })), '^--------------!').toBeObservable(
        '                      ------(pq)(rs)-----',
        stored,
      );
      m.expect(answer).toHaveSubscriptions(['---^---!', '---^---!', '-------^---!', '-------^---!']);
    }),
  );

  it(
    'leaves the turn of a pod that has moved on meanwhile to its next plan',
    marbles((m) => {
      const keys = ['p', 'q', 'r'];
      const acks = { ...Object.fromEntries(keys.map((key) => [key, ack(key, one)])), R: ack('r', two) };
      const stored = {
        ...Object.fromEntries(keys.map((key) => [key, kept(key, one, 'stored')])),
        R: kept('r', two, 'stored'),
      };
      const delivery$ = m.hot('(pqr)R---------', acks);
      const fleet$ = m.hot('   f--------------', { f: keys.map((key) => podOf(key)) });
      const answer = m.cold('     ---s|', { s: 'stored' as const });
      const client: KeepPlansDeps['client'] = { storePlan: () => answer };
      m.expect(keepPlans(deps({ delivery$, fleet$, client })), '^----------------!').toBeObservable(
        '                      ------(pq)---R',
        stored,
      );
      m.expect(answer).toHaveSubscriptions(['---^---!', '---^---!', '----------^---!']);
    }),
  );

  it(
    'uploads nothing for pods that have it, that failed, that are gone or that were replaced',
    marbles((m) => {
      const asked: string[] = [];
      const client: KeepPlansDeps['client'] = {
        storePlan: ({ key }) => (asked.push(key), of('stored')),
      };
      const runs = [
        ['s-f-q-----', 'p--------------'],
        ['q---------', 'b-p------------'],
        ['a---------', 'p-n------------'],
      ] as const;
      for (const [delivery, fleet] of runs) {
        const delivery$ = m.hot(delivery, values);
        m.expect(
          keepPlans(deps({ delivery$, fleet$: m.hot(fleet, fleets), client })),
          '^--------------!',
        ).toBeObservable('-');
        m.expect(delivery$).toHaveSubscriptions('^--------------!');
      }
      m.flush();
      expect(asked).toEqual([]);
    }),
  );

  it.each<[PlanStored, 'M' | 'U']>([
    ['moved', 'M'],
    ['unsupported', 'U'],
  ])('tells when the pod answers that it is %s', (answer, outcome) => {
    marbles((m) => {
      const client: KeepPlansDeps['client'] = { storePlan: () => of(answer) };
      const delivery$ = m.hot('a--------', values);
      const fleet$ = m.hot('   p--------', fleets);
      m.expect(keepPlans(deps({ delivery$, fleet$, client })), '^-------!').toBeObservable(
        `                      ---${outcome}-----`,
        outcomes,
      );
    })();
  });

  it(
    'tells when the plan is too large',
    marbles((m) => {
      const delivery$ = m.hot('a--------', values);
      const fleet$ = m.hot('   p--------', fleets);
      const blobs = { encode: () => of(undefined) };
      m.expect(keepPlans(deps({ delivery$, fleet$, blobs })), '^-------!').toBeObservable(
        '                      ---L-----',
        outcomes,
      );
    }),
  );

  it(
    'tries a failed upload again with the next report of the pod, though it is about the same plan',
    marbles((m) => {
      const broken = m.cold<PlanStored>('#', {}, new Error('refused'));
      const fine = m.cold('s|', { s: 'stored' as const });
      let uploads = 0;
      const client: KeepPlansDeps['client'] = { storePlan: () => (++uploads === 1 ? broken : fine) };
      const delivery$ = m.hot('a----A-------', values);
      const fleet$ = m.hot('   p------------', fleets);
      m.expect(keepPlans(deps({ delivery$, fleet$, client })), '^-----------!').toBeObservable(
        '                      ---F----S----',
        outcomes,
      );
      m.expect(broken).toHaveSubscriptions('---(^!)');
      m.expect(fine).toHaveSubscriptions('  --------^!');
    }),
  );

  it(
    'asks an agent that keeps no plans once, and a new one in its place again',
    marbles((m) => {
      const asked: string[] = [];
      const client: KeepPlansDeps['client'] = {
        storePlan: ({ uid }) => (asked.push(uid), of('unsupported')),
      };
      const delivery$ = m.hot('a----A----r----', values);
      const fleet$ = m.hot('   p--------n-----', fleets);
      const unsub = '          ^-------------!';
      m.expect(keepPlans(deps({ delivery$, fleet$, client })), unsub).toBeObservable('---U---------R', {
        ...outcomes,
        R: { ...outcomes.U, pod: podOf('p', { uid: 'other' }) },
      });
      m.flush();
      expect(asked).toEqual(['p', 'other']);
    }),
  );

  it(
    'does without a plan that is not known any more, and survives an encoder that fails',
    marbles((m) => {
      const fleet$ = m.hot('p--------', fleets);
      const plans = new Map<string, Plan>();
      m.expect(
        keepPlans(deps({ delivery$: m.hot('a--', values), fleet$, plans })),
        '^-------!',
      ).toBeObservable('-');
      const blobs = { encode: () => throwError(() => new Error('zstd')) };
      m.expect(
        keepPlans(deps({ delivery$: m.hot('a--', values), fleet$, blobs })),
        '^-------!',
      ).toBeObservable('---F-----', outcomes);
    }),
  );
});
