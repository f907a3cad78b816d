import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getEntry, valuesOf } from '../../../src/lib/ordered-map.ts';
import type { Decision } from '../../../src/plan/baseline.ts';
import { diff } from '../../../src/plan/diff.ts';
import { inventoryOf } from '../../../src/plan/inventory-of.ts';
import { limits } from '../../../src/protocol/limits.ts';
import type { OperationKind } from '../../../src/protocol/operation.ts';
import type { Plan } from '../../../src/protocol/plan.ts';
import { arbitraryEdit } from '../../fixtures/arbitrary-sketch.ts';
import { baselineOf } from '../../fixtures/baseline.ts';
import { makePlan } from '../../fixtures/make-plan.ts';
import { applyOperation, modelOf, snapshot, type WorkerModel } from '../../fixtures/plan-model.ts';
import { shareStructure } from '../../fixtures/share-structure.ts';

const subset: readonly OperationKind[] = [
  'server_set_addr',
  'server_set_weight',
  'server_set_state',
  'server_add',
  'server_enable',
  'server_disable',
  'map_set',
  'map_del',
  'cert_set',
];

/** The baseline of a pod whose reload is pending: the disk holds `applied`, the worker is `worker`. */
function pendingOn(worker: Plan, applied: Plan, started: Plan) {
  return baselineOf(applied, '3.4', {
    running: started,
    workerOps: worker,
    inventory: inventoryOf(started),
    reloadPending: true,
  });
}

function runInPlace(model: WorkerModel, decision: Decision, next: Plan): void {
  expect(decision.inPlace.length).toBeLessThanOrEqual(limits.operationsPerBatch);
  for (const operation of decision.inPlace) {
    expect(subset).toContain(operation.kind);
    applyOperation(model, operation, next);
    for (const [path, name] of model.maps.get('maps/route.map') ?? [])
      expect(model.backends.has(name), `${path} → ${name}`).toBe(true);
  }
}

/** Servers that the next render wants in a backend that is otherwise as it was: they must take requests at once. */
function assertServed(model: WorkerModel, worker: Plan, next: Plan): void {
  for (const wanted of valuesOf(next.backends)) {
    const was = getEntry(worker.backends, wanted.name);
    if (was === undefined || was.bodyDigest !== wanted.bodyDigest || was.profile !== wanted.profile) continue;
    const known = new Map(was.servers.map((server) => [server.name, server]));
    for (const { name, address, disabled, extra } of wanted.servers) {
      const before = known.get(name);
      if (before !== undefined && before.extra.length !== extra.length) continue;
      const running = model.backends.get(wanted.name)?.servers.get(name);
      expect([running?.address, running?.maint], `${wanted.name}/${name}`).toEqual([
        address,
        disabled === true,
      ]);
    }
  }
}

describe('changes in place', () => {
  it('follow every render while a reload waits, and the worker is what its plan says', () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(arbitraryEdit, arbitraryEdit, fc.boolean(), ([first, second], [, third], share) => {
        const started = makePlan(first);
        const model = modelOf(started);
        let worker = started;
        let applied = started;
        for (const sketch of [second, third]) {
          const next = share ? shareStructure(applied, makePlan(sketch)) : makePlan(sketch);
          const decision = diff(next, pendingOn(worker, applied, started));
          expect(decision).toMatchObject({ verdict: 'reload', mode: 'reload', batches: [] });
          runInPlace(model, decision, next);
          for (const { kind } of decision.inPlace) seen.set(kind, (seen.get(kind) ?? 0) + 1);
          expect(decision.workerPlan === undefined).toBe(decision.inPlace.length === 0);
          assertServed(model, worker, next);
          worker = decision.workerPlan ?? worker;
          expect(snapshot(model, worker)).toEqual(snapshot(modelOf(worker), worker));
          applied = next;
        }
      }),
      { numRuns: 1000 },
    );
    for (const kind of subset.filter((one) => one !== 'server_set_state'))
      expect(seen.get(kind) ?? 0, kind).toBeGreaterThan(10);
  });

  it('leave nothing to do in place for the same render, and no reason that was not there before', () => {
    fc.assert(
      fc.property(arbitraryEdit, ([before, after]) => {
        const [started, next] = [makePlan(before), makePlan(after)];
        const first = diff(next, pendingOn(started, started, started));
        const worker = first.workerPlan;
        if (worker === undefined) return;
        const again = diff(next, pendingOn(worker, next, started));
        expect(again.inPlace).toEqual([]);
        expect(again.workerPlan).toBeUndefined();
        expect(first.reasons).toEqual(expect.arrayContaining([...again.reasons]));
      }),
      { numRuns: 700 },
    );
  });

  it('give the same plan id for the same worker, render and operations, and another for any other', () => {
    const ids = new Map<string, string>();
    fc.assert(
      fc.property(arbitraryEdit, ([before, after]) => {
        const [started, next] = [makePlan(before), makePlan(after)];
        const decide = () => diff(next, pendingOn(started, started, started));
        const { inPlace, workerPlan } = decide();
        if (workerPlan === undefined) return;
        expect(decide().workerPlan?.id).toBe(workerPlan.id);
        expect(workerPlan.id).toMatch(/^[0-9a-f]{16}$/);
        const content = `${started.id} ${next.id} ${JSON.stringify(inPlace)}`;
        expect(ids.get(workerPlan.id) ?? content).toBe(content);
        ids.set(workerPlan.id, content);
      }),
      { numRuns: 300 },
    );
    expect(ids.size).toBeGreaterThan(50);
  });
});
