import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RejectedPod } from '../../../../src/protocol/fleet.ts';
import type { AgentState } from '../../../../src/protocol/wire.ts';
import {
  chooseRetained,
  decideRetained,
  isBootstrap,
  podStanding,
  type PodSight,
} from '../../../../src/sinks/retained/decide-retained.ts';
import { podOf } from '../../../fixtures/delivery-reports.ts';
import { planWith, rolesFor, stateOf, structural } from '../../../fixtures/fake-pod.ts';

const plan = planWith('one', 'two');
const fresh = stateOf(undefined);
const same = stateOf(plan, { applied_token: { leader_epoch: 3, render_seq: 9 } });

/** Each is a state that is neither fresh nor that of the plan. */
const others: Readonly<Record<string, AgentState>> = {
  'another plan': stateOf(structural),
  'another running plan': { ...same, ...rolesFor(plan.id, { running_plan_id: structural.id }) },
  'another worker': { ...same, ...rolesFor(plan.id, { worker_ops_plan_id: structural.id }) },
  'an unknown plan': { ...same, ...rolesFor('') },
  'a pending reload': { ...same, reload_pending_at: '2026-01-01T00:00:00Z' },
  'a violation': { ...same, invariant_violation: 'disk_is_the_desired_set' },
  'another file': {
    ...same,
    files: { ...same.files, 'haproxy.cfg': { digest: '0'.repeat(16), proof: '', size: 1 } },
  },
  'a file of another size': {
    ...same,
    files: Object.fromEntries(
      Object.entries(same.files).map(([path, file]) => [path, { ...file, size: file.size + 1 }]),
    ),
  },
  'a file less': { ...same, files: {} },
  'a file more': { ...same, files: { ...same.files, more: { digest: '0'.repeat(16), proof: '', size: 1 } } },
  'a token of some leader': { ...fresh, applied_token: { leader_epoch: 1, render_seq: 0 } },
  'a stored plan': { ...fresh, applied_plan_stored: true },
  'a former plan': { ...fresh, former_plan: 'x' },
  'a last known good': { ...fresh, lkg_plan_id: plan.id },
  'a fresh one with a violation': { ...fresh, invariant_violation: 'x' },
  'a fresh one that waits for a reload': { ...fresh, reload_pending_at: '2026-01-01T00:00:00Z' },
};

const sightOf = (state: AgentState | undefined, index: number): PodSight => ({
  pod: podOf(`ns/p${index}`),
  ...(state && { standing: podStanding(plan, state) }),
});
const decide = (states: readonly (AgentState | undefined)[], rejected: readonly RejectedPod[] = []) =>
  decideRetained({ pods: states.map(sightOf), rejected });

describe('which retained render', () => {
  const intent = { planId: 'a', checksum: 'sum-a' };
  const config = (planID: string, checksum = `sum-${planID}`) => ({
    name: planID,
    uid: 'u',
    planID,
    checksum,
  });

  it('is the one that went out last, and no other', () => {
    expect(chooseRetained(intent, [config('b'), config('a')])).toEqual({
      kind: 'chosen',
      config: config('a'),
    });
    expect(chooseRetained(intent, [config('b')])).toMatchObject({ reason: 'NothingRetained' });
    expect(chooseRetained(intent, [config('a', 'other')])).toMatchObject({ reason: 'NothingRetained' });
    expect(chooseRetained(undefined, [config('a')])).toMatchObject({ reason: 'NoIntent' });
  });
});

describe('who gets a retained render', () => {
  it('is a pod that never had anything, beside pods that run just that', () => {
    expect(decide([same, fresh, same])).toEqual({ kind: 'serve', pods: [podOf('ns/p1')], configured: 2 });
    expect(decide([fresh])).toEqual({ kind: 'serve', pods: [podOf('ns/p0')], configured: 0 });
    expect(decide([same])).toEqual({ kind: 'serve', pods: [], configured: 1 });
    expect(decide([])).toEqual({ kind: 'serve', pods: [], configured: 0 });
  });

  it.each(Object.entries(others))('is nobody beside a pod with %s', (_what, state) => {
    expect(isBootstrap(state)).toBe(false);
    expect(decide([fresh, state])).toMatchObject({ kind: 'unavailable', reason: 'PodDiffers' });
  });

  it('is nobody beside a pod of which it is not known what it serves', () => {
    expect(decide([fresh, undefined])).toMatchObject({ reason: 'PodUnreachable' });
    for (const reason of ['agent_not_running', 'agent_not_answering'] as const)
      expect(decide([fresh], [{ key: 'ns/x', reason }])).toMatchObject({ reason: 'PodUnreachable' });
    for (const reason of ['no_address', 'agent_missing'] as const)
      expect(decide([fresh], [{ key: 'ns/x', reason }])).toMatchObject({ kind: 'serve' });
  });

  it('never gets something that another pod does not run, whatever the fleet', () => {
    const state = fc.constantFrom<AgentState | undefined>(fresh, same, undefined, ...Object.values(others));
    fc.assert(
      fc.property(fc.array(state, { maxLength: 8 }), (states) => {
        const decision = decide(states);
        const isAgreed = states.every((one) => one === fresh || one === same);
        expect(decision.kind).toBe(isAgreed ? 'serve' : 'unavailable');
        if (decision.kind !== 'serve') return;
        const waiting = states.flatMap((one, index) => (one === fresh ? [`ns/p${index}`] : []));
        expect(decision.pods.map(({ key }) => key)).toEqual(waiting);
        expect(decision.configured).toBe(states.length - waiting.length);
      }),
    );
  });
});
