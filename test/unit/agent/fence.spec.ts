import { describe, expect, it } from 'vitest';
import { fence } from '../../../src/agent/apply/fence.ts';
import { type AgentRecord, emptyRecord } from '../../../src/agent/state/agent-record.ts';
import type { ApplyManifest } from '../../../src/protocol/wire.ts';

const plan = { id: 'p1', proof: 'a:1' };
const record: AgentRecord = {
  ...emptyRecord,
  appliedToken: { leader_epoch: 5, render_seq: 9 },
  applied: plan,
  running: plan,
  workerOps: plan,
};
const manifest = (more: Partial<ApplyManifest> = {}): ApplyManifest => ({
  identity_version: 1,
  plan_id: 'p2',
  plan_schema_version: 1,
  token: { leader_epoch: 5, render_seq: 10 },
  expected_prev_plan_id: 'p1',
  expected_prev_plan_proof: 'a:1',
  expected_prev_token: { leader_epoch: 5, render_seq: 9 },
  expected_worker_ops_plan_id: 'p1',
  expected_worker_ops_plan_proof: 'a:1',
  files: [],
  ops: [],
  mode: 'auto',
  ...more,
});

describe('the fence', () => {
  it('lets an apply in that knows what the pod holds', () => {
    expect(fence(manifest(), record)).toBeUndefined();
    expect(fence(manifest({ mode: 'reload' }), record)).toBeUndefined();
    expect(fence(manifest({ token: { leader_epoch: 6, render_seq: 1 } }), record)).toBeUndefined();
  });

  it('lets changes in to a plan that is applied, and to no other', () => {
    expect(fence(manifest({ removed_files: [] }), record)).toBeUndefined();
    const nothing = { expected_prev_plan_id: '', expected_prev_plan_proof: '', mode: 'reload' } as const;
    const empty = { ...record, applied: { id: '', proof: '' } };
    expect(fence(manifest(nothing), empty)).toBeUndefined();
    expect(fence(manifest({ ...nothing, removed_files: [] }), empty)).toBe('unknown_baseline');
  });

  it.each<[string, Partial<ApplyManifest>, string]>([
    ['an earlier leader', { token: { leader_epoch: 4, render_seq: 99 } }, 'stale_epoch'],
    ['another plan before', { expected_prev_plan_id: 'p0' }, 'prev_mismatch'],
    ['another occurrence of the plan', { expected_prev_plan_proof: 'a:0' }, 'prev_mismatch'],
    ['another token before', { expected_prev_token: { leader_epoch: 5, render_seq: 8 } }, 'prev_mismatch'],
    ['another worker state', { expected_worker_ops_plan_id: 'p0' }, 'worker_ops_mismatch'],
    ['another occurrence of it', { expected_worker_ops_plan_proof: 'a:0' }, 'worker_ops_mismatch'],
    ['no worker proof', { expected_worker_ops_plan_proof: '' }, 'worker_ops_mismatch'],
  ])('keeps out an apply that expects %s', (_what, more, reason) => {
    expect(fence(manifest(more), record)).toBe(reason);
  });

  it('does not ask a reload for the worker’s state', () => {
    expect(fence(manifest({ mode: 'reload', expected_worker_ops_plan_id: 'p0' }), record)).toBeUndefined();
  });

  it('says that nothing is known when nothing is', () => {
    const empty = { ...emptyRecord, appliedToken: record.appliedToken };
    const first = { expected_prev_plan_id: '', expected_prev_plan_proof: '' };
    expect(fence(manifest(), empty)).toBe('unknown_baseline');
    expect(fence(manifest(first), empty)).toBe('unknown_baseline');
    expect(fence(manifest({ ...first, mode: 'reload' }), empty)).toBeUndefined();
  });

  it('asks a reload for the worker’s state where its in-place operations would run', () => {
    const reload = manifest({ mode: 'reload' });
    expect(fence(reload, record, true)).toBeUndefined();
    for (const more of [{ expected_worker_ops_plan_id: 'p0' }, { expected_worker_ops_plan_proof: 'a:0' }])
      expect(fence({ ...reload, ...more }, record, true)).toBe('worker_ops_mismatch');
  });

  describe('for a revert', () => {
    const derived = { id: 'derived', proof: 'a:3' };
    const good = { id: 'p0', proof: 'a:0' };
    const diverged: AgentRecord = { ...record, workerOps: derived, lkg: good };
    const revert = (target: { id: string; proof: string }, more: Partial<ApplyManifest> = {}) =>
      manifest({ mode: 'revert_lkg', plan_id: target.id, plan_proof: target.proof, ...more });

    it('lets it leave what is on disk or on the worker, whatever it expects before', () => {
      const blind = { expected_prev_plan_id: 'x', expected_worker_ops_plan_id: 'y' };
      expect(fence(revert(plan, blind), diverged)).toBeUndefined();
      expect(fence(revert(derived, blind), diverged)).toBeUndefined();
    });

    it.each([
      ['another plan', { id: 'p9', proof: 'a:1' }],
      ['another occurrence', { id: 'p1', proof: 'a:2' }],
      ['the good one itself', good],
      ['nothing', { id: '', proof: '' }],
    ])('keeps it off %s', (_what, target) => {
      expect(fence(revert(target), { ...diverged, applied: target.id === 'p0' ? good : plan })).toBe(
        'revert_target_mismatch',
      );
    });

    it('keeps an earlier leader out', () => {
      const token = { leader_epoch: 4, render_seq: 1 };
      expect(fence(revert(plan, { token }), diverged)).toBe('stale_epoch');
    });
  });
});
