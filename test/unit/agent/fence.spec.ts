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
});
