import { describe, expect, it } from 'vitest';
import { valuesOf } from '../../../src/lib/ordered-map.ts';
import type { Plan } from '../../../src/protocol/plan.ts';
import type { AgentState, ApplyResult, PlanRoles } from '../../../src/protocol/wire.ts';
import * as podKnowledge from '../../../src/sinks/pod-knowledge.ts';
import { allOperations } from '../../fixtures/baseline.ts';
import { makePlan } from '../../fixtures/make-plan.ts';

const { baselineOf, driftedFiles, isConverged } = podKnowledge;
type PodKnowledge = podKnowledge.PodKnowledge;
const now = 1_000_000;
const knowledgeFromState = (state: AgentState): PodKnowledge => podKnowledge.knowledgeFromState(state, now);
const knowledgeAfter = (known: PodKnowledge, plan: Plan, result: ApplyResult): PodKnowledge =>
  podKnowledge.knowledgeAfter(known, plan, result, now);

const planWith = (maxconn: number): Plan =>
  makePlan({
    core: { global: `global\n  maxconn ${maxconn}\n` },
    maps: { 'maps/host.map': { entries: [['a.example', 'a']] } },
  });
const [one, two] = [planWith(1), planWith(2)];
const plans = new Map([one, two].map((plan) => [plan.id, plan]));
const planOf = (id: string) => plans.get(id);

const roles = (applied: string, workerOps = applied): PlanRoles => ({
  applied_plan_id: applied,
  applied_plan_proof: 'a:1',
  running_plan_id: applied,
  running_plan_proof: 'a:1',
  worker_ops_plan_id: workerOps,
  worker_ops_plan_proof: 'a:1',
  lkg_plan_id: '',
  lkg_plan_proof: '',
});

const inventory = (maps: readonly string[]) => ({
  generation: 1,
  maps,
  certs: [],
  ca_files: [],
  crl_files: [],
  crt_lists: [],
});

const stateOf = (plan: Plan, extra: Partial<AgentState> = {}): AgentState => ({
  ...roles(plan.id),
  api_version: 1,
  agent_version: 't',
  plan_schema_version: 1,
  agent_ops: allOperations,
  features: [],
  haproxy: { version: '3.4', full_version: '3.4.7', worker_pid: 1, worker_start_time_unix_micros: 1 },
  generation: 1,
  applied_token: { leader_epoch: 0, render_seq: 1 },
  applied_plan_stored: false,
  files: Object.fromEntries(
    [...valuesOf(plan.files)].map(({ path, digest, size }) => [path, { digest, size, proof: `old ${path}` }]),
  ),
  runtime_inventory: inventory(['maps/host.map']),
  pending_deletes: { servers: ['b/s'], backends: [] },
  ...extra,
});

const resultOf = (plan: Plan, extra: Partial<ApplyResult> = {}): ApplyResult => ({
  ...roles(plan.id),
  plan_id: plan.id,
  ok: true,
  mode: 'runtime',
  applied_token: { leader_epoch: 0, render_seq: 2 },
  op_results: [],
  haproxy: { version: '3.4', full_version: '3.4.7', worker_pid: 2, worker_start_time_unix_micros: 2 },
  at: '2026-01-01T00:00:00Z',
  timing: { stage_ms: 0, admit_ms: 0, write_ms: 0, ops_ms: 0, finish_ms: 0, total_ms: 0 },
  ...extra,
});

describe('what is known of a pod', () => {
  it('from its own answer is fresh, with the proofs that it has for its files', () => {
    const known = knowledgeFromState(stateOf(one));
    expect(known).toMatchObject({ isFresh: true, applied_plan_id: one.id });
    expect(known.held('maps/host.map')).toMatchObject({ proof: 'old maps/host.map' });
    expect(known.held('maps/other.map')).toBeUndefined();
  });

  it('after an apply is what was acknowledged, with the files of the plan', () => {
    const known = knowledgeAfter(knowledgeFromState(stateOf(one)), two, resultOf(two));
    expect(known).toMatchObject({ isFresh: false, applied_plan_id: two.id, worker_ops_plan_id: two.id });
    expect(known.state.haproxy.worker_pid).toBe(2);
    expect(known.state.applied_token.render_seq).toBe(2);
    for (const { path, digest, size } of valuesOf(two.files))
      expect(known.held(path)).toEqual({ digest, size, proof: digest });
  });

  it('keeps inventory and pending deletions where the acknowledgement does not tell them', () => {
    const before = knowledgeFromState(stateOf(one));
    const silent = knowledgeAfter(before, two, resultOf(two)).state;
    expect(silent).toMatchObject({
      runtime_inventory: { maps: ['maps/host.map'] },
      pending_deletes: { servers: ['b/s'] },
    });
    const telling = knowledgeAfter(
      before,
      two,
      resultOf(two, { runtime_inventory: inventory([]), pending_deletes: { servers: [], backends: ['b'] } }),
    ).state;
    expect(telling).toMatchObject({
      runtime_inventory: { maps: [] },
      pending_deletes: { servers: [], backends: ['b'] },
    });
  });

  it('forgets a reload that was pending, and notes one that was scheduled', () => {
    const before = knowledgeFromState(stateOf(one, { reload_pending_at: '2026-01-01T00:00:00Z' }));
    expect(baselineOf(before, planOf).reloadPending).toBe(true);
    const done = knowledgeAfter(before, two, resultOf(two));
    expect(baselineOf(done, planOf).reloadPending).toBe(false);
    const scheduled = resultOf(two, {
      mode: 'scheduled',
      reload: {
        performed: false,
        ok: true,
        worker_pid: 2,
        took_ms: 0,
        output: '',
        scheduled_at: '2026-01-01T00:00:05Z',
      },
    });
    expect(baselineOf(knowledgeAfter(before, two, scheduled), planOf).reloadPending).toBe(true);
  });
});

describe('the baseline of a diff', () => {
  it('is what is on disk and what the worker was brought to', () => {
    const known = knowledgeFromState({ ...stateOf(two), ...roles(two.id, one.id) });
    const base = baselineOf(known, planOf);
    expect(base.applied).toBe(two);
    expect(base.workerOps).toBe(one);
    expect(base.pendingServerDeletes).toEqual(['b/s']);
    expect(base.inventory.maps).toEqual(['maps/host.map']);
    expect(base.capabilities.operations.has('backend_add')).toBe(true);
  });

  it.each([
    ['what is on disk', roles('unheard of', one.id)],
    ['what the worker was brought to', roles(one.id, 'unheard of')],
    ['either', roles('')],
  ])('is none where nobody remembers %s', (_, unknown) => {
    const base = baselineOf(knowledgeFromState({ ...stateOf(one), ...unknown }), planOf);
    expect(base.applied).toBeUndefined();
  });
});

describe('drift', () => {
  it('is every file of the plan that the pod has with other bytes, or not at all', () => {
    expect(driftedFiles(knowledgeFromState(stateOf(one)), one)).toEqual([]);
    const { 'maps/host.map': map, ...others } = stateOf(one).files;
    const without = knowledgeFromState(stateOf(one, { files: others }));
    expect(driftedFiles(without, one)).toEqual(['maps/host.map']);
    const changed = { ...others, 'maps/host.map': { ...map!, digest: '0'.repeat(16) } };
    expect(driftedFiles(knowledgeFromState(stateOf(one, { files: changed })), one)).toEqual([
      'maps/host.map',
    ]);
  });

  it('is not a file that the plan does not have', () => {
    const foreign = { ...stateOf(one).files, 'general/own.txt': { digest: 'd', proof: 'p', size: 1 } };
    expect(driftedFiles(knowledgeFromState(stateOf(one, { files: foreign })), one)).toEqual([]);
  });
});

describe('when a scheduled reload is due', () => {
  const scheduled = (scheduled_at: string): ApplyResult =>
    resultOf(two, {
      at: '2026-01-01T00:00:00Z',
      mode: 'scheduled',
      reload: { performed: false, ok: true, worker_pid: 1, took_ms: 0, output: '', scheduled_at },
    });
  const known = knowledgeFromState(stateOf(one));

  it('is told on the clock of the controller, however wrong that of the pod is', () => {
    expect(knowledgeAfter(known, two, scheduled('2026-01-01T00:00:04Z')).reloadDueAt).toBe(now + 4_000);
  });

  it('is never further away than reloads may be apart, and never in the past', () => {
    expect(knowledgeAfter(known, two, scheduled('2026-01-02T00:00:00Z')).reloadDueAt).toBe(now + 60_000);
    expect(knowledgeAfter(known, two, scheduled('2025-12-31T00:00:00Z')).reloadDueAt).toBe(now);
    expect(knowledgeAfter(known, two, scheduled('soon')).reloadDueAt).toBe(now);
  });

  it('is known from the state too, and from nothing else', () => {
    const pending = stateOf(one, { reload_pending_at: new Date(now + 2_000).toISOString() });
    expect(knowledgeFromState(pending).reloadDueAt).toBe(now + 2_000);
    expect(known.reloadDueAt).toBeUndefined();
    expect(knowledgeAfter(knowledgeFromState(pending), two, resultOf(two)).reloadDueAt).toBeUndefined();
  });
});

describe('a pod has converged', () => {
  it('when it holds the plan and its worker runs it, and not before', () => {
    expect(isConverged(roles(one.id), one.id)).toBe(true);
    expect(isConverged(roles(two.id), one.id)).toBe(false);
    expect(isConverged({ ...roles(one.id), running_plan_id: two.id }, one.id)).toBe(false);
  });
});
