import { marbles } from 'rxjs-marbles';
import { NEVER, map, of } from 'rxjs';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ApplyAnswer } from '../../../src/fleet/agent-client.ts';
import { CodedError } from '../../../src/lib/coded-error.ts';
import type { DeliveryReport } from '../../../src/protocol/delivery-report.ts';
import type { RevertPlan } from '../../../src/protocol/delivery-target.ts';
import type { AgentState, PlanRoles } from '../../../src/protocol/wire.ts';
import { createDelivery } from '../../../src/sinks/deliver.ts';
import { podOf } from '../../fixtures/delivery-reports.ts';
import {
  conflictOf,
  type FakePods,
  fakePods,
  planWith,
  resultOf,
  rolesFor,
  stateOf,
  targetOf,
} from '../../fixtures/fake-pod.ts';

const bad = planWith('bad');
const target: RevertPlan = { kind: 'revert', pod: podOf('ns/p'), epoch: 0, planId: bad.id };
const onBad: Partial<PlanRoles> = { lkg_plan_id: 'good', lkg_plan_proof: 'a:0' };
const wentBack = (): ApplyAnswer =>
  resultOf({ manifest: { plan_id: 'good', ops: [], mode: 'reload' } as never, parts: [] });
let fake: FakePods;
beforeEach(() => {
  fake = fakePods();
  fake.state = () => of(stateOf(bad, onBad));
  fake.apply = () => of(wentBack());
});
const word = map((report: DeliveryReport) =>
  report.kind === 'reverted' ? `back to ${report.lkgPlanId}` : report.kind === 'failed' ? report.stage : '',
);

describe('taking back a refused plan', () => {
  it(
    'has a pod that holds it go back to its last known good one',
    marbles((m) => {
      const answer = m.cold('--a|', { a: wentBack() });
      fake.apply = () => answer;
      m.expect(createDelivery(fake.deps)(target, NEVER).pipe(word)).toBeObservable('--b|', {
        b: 'back to good',
      });
      m.expect(answer).toHaveSubscriptions('^--!');
      m.flush();
      expect(fake.applies).toMatchObject([
        {
          manifest: {
            mode: 'revert_lkg',
            plan_id: bad.id,
            plan_proof: 'a:1',
            files: [],
            ops: [],
            token: { leader_epoch: 0, render_seq: 1 },
          },
          parts: [],
        },
      ]);
    }),
  );

  it(
    'names the role in which the worker was brought to it, where only that is left',
    marbles((m) => {
      fake.state = () =>
        of(stateOf(bad, { ...onBad, applied_plan_id: 'other', worker_ops_plan_proof: 'a:9' }));
      m.expect(createDelivery(fake.deps)(target, NEVER).pipe(word)).toBeObservable('(b|)', {
        b: 'back to good',
      });
      m.flush();
      expect(fake.applies[0]?.manifest).toMatchObject({ plan_id: bad.id, plan_proof: 'a:9' });
    }),
  );

  it.each([
    ['has moved on', rolesFor('other')],
    ['has nothing', rolesFor('')],
    ['has it as its last known good one: its own HAProxy has loaded that', rolesFor(bad.id)],
  ])('leaves a pod alone that %s', (_, roles) => {
    marbles((m) => {
      fake.state = () => of(stateOf(bad, roles));
      m.expect(createDelivery(fake.deps)(target, NEVER)).toBeObservable('|');
      m.flush();
      expect(fake.applies).toEqual([]);
    })();
  });

  it(
    'leaves it alone as well when the pod says so itself',
    marbles((m) => {
      fake.apply = () => of(conflictOf('revert_target_mismatch'));
      m.expect(createDelivery(fake.deps)(target, NEVER)).toBeObservable('|');
    }),
  );

  it(
    'looks again once after another conflict',
    marbles((m) => {
      fake.apply = () => of(conflictOf('prev_mismatch'));
      m.expect(createDelivery(fake.deps)(target, NEVER).pipe(word)).toBeObservable('(c|)', { c: 'conflict' });
      m.flush();
      expect(fake.applies).toHaveLength(2);
      expect(fake.states).toHaveLength(2);
    }),
  );

  it(
    'stops before a newer leader',
    marbles((m) => {
      fake.apply = () => of(conflictOf('stale_epoch', 9));
      m.expect(createDelivery(fake.deps)(target, NEVER).pipe(word)).toBeObservable('(f|)', {
        f: 'foreign_leader',
      });
      m.flush();
      expect(fake.applies).toHaveLength(1);
    }),
  );

  it(
    'reports a pod that cannot go back, with its words, and does not insist',
    marbles((m) => {
      const error = { stage: 'reload', message: 'it does not start' };
      const refusal = resultOf(
        { manifest: { ops: [] } as never, parts: [] },
        { ok: false, mode: 'rejected', error },
      );
      fake.apply = () => of(refusal);
      const message = map((report: DeliveryReport) => (report.kind === 'failed' ? report.message : ''));
      m.expect(createDelivery(fake.deps)(target, NEVER).pipe(message)).toBeObservable('(x|)', {
        x: 'reload: it does not start',
      });
    }),
  );

  it(
    'goes on trying a pod that cannot be reached, until something newer is wanted',
    marbles((m) => {
      const lost = m.cold<AgentState>('-#', {}, new CodedError('HAPTIC_ERR_AGENT_UNREACHABLE', 'refused'));
      fake.state = () => lost;
      const newer = m.hot('     ----------n');
      const expected = '        -u----u---|';
      const newer$ = newer.pipe(map(() => undefined));
      m.expect(createDelivery(fake.deps)(target, newer$).pipe(word)).toBeObservable(expected, {
        u: 'unreachable',
      });
      m.expect(lost).toHaveSubscriptions(['^!', '-----^!']);
    }),
  );

  it('believes nothing of the pod afterwards', () => {
    const deliver = createDelivery(fake.deps);
    deliver(target, NEVER).subscribe().unsubscribe();
    expect(fake.states).toHaveLength(1);
    fake.apply = (request) => of(resultOf(request));
    deliver(targetOf(planWith('good')), NEVER)
      .subscribe()
      .unsubscribe();
    expect(fake.states).toHaveLength(2);
  });
});
