import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getEntry, valuesOf } from '../../../src/lib/ordered-map.ts';
import { diff } from '../../../src/plan/diff.ts';
import { limits } from '../../../src/protocol/limits.ts';
import type { Plan } from '../../../src/protocol/plan.ts';
import type { RuntimeInventory } from '../../../src/protocol/wire.ts';
import { baselineOf } from '../../fixtures/baseline.ts';
import type { ListedCertificate } from '../../fixtures/crt-list-facts.ts';
import { makePlan, type Sketch } from '../../fixtures/make-plan.ts';
import { arbitraryEdit, arbitrarySketch, editedList } from '../../fixtures/arbitrary-sketch.ts';
import { applyOperation, modelOf, snapshot, type WorkerModel } from '../../fixtures/plan-model.ts';
import { shareStructure } from '../../fixtures/share-structure.ts';

/** A request is routed by the map to its backend: that backend must be there, published. */
function assertRoutable(model: WorkerModel): void {
  for (const [path, name] of model.maps.get('maps/route.map') ?? [])
    expect(model.backends.get(name)?.published, `${path} → ${name}`).toBe(true);
}

const namesOf = (listed: readonly ListedCertificate[]) =>
  new Set(listed.flatMap(({ sniFilters }) => sniFilters));

/** A host name that had a certificate and will have one is never without. */
function assertCertified(model: WorkerModel, before: Plan, next: Plan): void {
  for (const [path, running] of model.crtLists) {
    const listedIn = (plan: Plan): readonly ListedCertificate[] => {
      const list = getEntry(plan.crtLists, path);
      return list === undefined ? [] : [...valuesOf(list.entries)];
    };
    const wanted = namesOf(listedIn(next));
    const names = namesOf(running);
    for (const name of namesOf(listedIn(before)))
      if (wanted.has(name)) expect(names.has(name), name).toBe(true);
  }
}

/** What the agent of a worker would report. */
function inventoryOfModel(model: WorkerModel): RuntimeInventory {
  return {
    generation: 0,
    maps: [...model.maps.keys()],
    certs: [...model.stores.cert.keys()],
    ca_files: [...model.stores.ca.keys()],
    crl_files: [...model.stores.crl.keys()],
    crt_lists: [...model.crtLists.keys()],
  };
}

function run(before: Plan, next: Plan, kinds = new Map<string, number>()): string {
  const decision = diff(next, baselineOf(before));
  const model = modelOf(before);
  if (decision.verdict === 'reload') {
    expect(decision.reasons.length).toBeGreaterThan(0);
    expect(decision.reasons.length).toBeLessThanOrEqual(limits.reasons);
    expect(decision.batches).toEqual([]);
    return 'reload';
  }
  expect(decision.reasons).toEqual([]);
  for (const operation of decision.batches.flat()) {
    applyOperation(model, operation, next);
    assertRoutable(model);
    assertCertified(model, before, next);
    kinds.set(operation.kind, (kinds.get(operation.kind) ?? 0) + 1);
  }
  expect(snapshot(model, next)).toEqual(snapshot(modelOf(next), next));
  if (decision.verdict === 'noop') expect(next.id).toBe(before.id);
  return decision.verdict;
}

describe('diff', () => {
  it('gives operations that turn the one worker into the other, and never routes to a missing backend', () => {
    const seen = new Map<string, number>();
    const kinds = new Map<string, number>();
    fc.assert(
      fc.property(arbitraryEdit, ([before, after]) => {
        const verdict = run(makePlan(before), makePlan(after), kinds);
        seen.set(verdict, (seen.get(verdict) ?? 0) + 1);
      }),
      { numRuns: 1500 },
    );
    expect(seen.get('runtime') ?? 0).toBeGreaterThan(150);
    expect(seen.get('reload') ?? 0).toBeGreaterThan(50);
    for (const kind of ['server_add', 'map_replace', 'cert_set', 'cert_new', 'crtlist_add', 'crtlist_del'])
      expect(kinds.get(kind) ?? 0, kind).toBeGreaterThan(20);
  });

  it('keeps a worker in step over many changes, though its crt-lists are in an order of their own', () => {
    let runtime = 0;
    fc.assert(
      fc.property(fc.array(arbitraryEdit, { minLength: 3, maxLength: 6 }), ([first, ...rest]) => {
        let held: Sketch = first?.[0] ?? {};
        let model = modelOf(makePlan(held));
        for (const [, after] of rest) {
          const sketched = {
            ...held,
            crtLists: editedList(held, after, JSON.stringify(after).length),
            files: { ...held.files, ...after.files },
          };
          const [before, next] = [makePlan(held), makePlan(sketched)];
          const decision = diff(next, baselineOf(before, '3.4', { inventory: inventoryOfModel(model) }));
          if (decision.verdict === 'reload') model = modelOf(next);
          for (const operation of decision.batches.flat()) {
            applyOperation(model, operation, next);
            runtime++;
          }
          expect(snapshot(model, next)).toEqual(snapshot(modelOf(next), next));
          held = sketched;
        }
      }),
      { numRuns: 400 },
    );
    expect(runtime).toBeGreaterThan(200);
  });

  it('decides the same for plans that share structure and for plans that share none', () => {
    fc.assert(
      fc.property(arbitraryEdit, ([before, after]) => {
        const base = makePlan(before);
        const scratch = makePlan(after);
        const shared = shareStructure(base, scratch);
        expect(shared.id).toBe(scratch.id);
        expect(diff(shared, baselineOf(base))).toEqual(diff(scratch, baselineOf(base)));
      }),
      { numRuns: 500 },
    );
  });

  it('has nothing to do between equal plans', () => {
    fc.assert(
      fc.property(arbitrarySketch, (one) => {
        expect(diff(makePlan(one), baselineOf(makePlan(one)))).toMatchObject({
          verdict: 'noop',
          changedFiles: [],
          removedFiles: [],
        });
      }),
      { numRuns: 300 },
    );
  });
});
