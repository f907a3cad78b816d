import { describe, expect, it } from 'vitest';
import { editOrderedMap, getEntry, orderedMapFrom, type OrderedMap } from '../../../src/lib/ordered-map.ts';
import { createPlan } from '../../../src/plan/create-plan.ts';
import { diff } from '../../../src/plan/diff.ts';
import { inventoryOf } from '../../../src/plan/inventory-of.ts';
import type { Backend, CrtListEntry, Plan, PlanFile, Section } from '../../../src/protocol/plan.ts';
import { baselineOf } from '../../fixtures/baseline.ts';
import { makeBackend, makePlan } from '../../fixtures/make-plan.ts';

const backends = 10_000;
const nameOf = (at: number) => `be-${String(at).padStart(5, '0')}`;
const server = (address: string) => ({ name: 'pod-1', address, port: 80 });

/** Counts what is read of the values of a plan: time that follows the change reads a few of them, whatever there is besides. */
function countingPlan() {
  let reads = 0;
  const watched = <T extends object>(value: T): T =>
    new Proxy(value, {
      get: (target, key, receiver): unknown => {
        reads++;
        return Reflect.get(target, key, receiver);
      },
    });
  const backendAt = (name: string, address: string): [string, Backend] => [
    name,
    watched(makeBackend(name, { servers: [server(address)] })),
  ];
  const sectionOf = ([name, { text }]: [string, Backend]): [string, Section] => [
    `3 ${name}`,
    watched({ kind: 'backend' as const, name, text, template: 'backends:1:1' }),
  ];
  const fileOf = (at: number, digest: string): [string, PlanFile] => {
    const path = `ssl/${nameOf(at)}.pem`;
    return [
      path,
      watched({ path, kind: 'cert' as const, reloadOnChange: false, digest, size: 1, content: () => [] }),
    ];
  };
  const all = Array.from({ length: backends }, (_, at) => backendAt(nameOf(at), '10.0.0.1'));
  const empty = makePlan({ profiles: { std: [] }, core: { global: 'global\n' } });
  const plan = createPlan({
    ...empty,
    backends: orderedMapFrom(all),
    sections: editOrderedMap(empty.sections, all.map(sectionOf)),
    files: editOrderedMap(
      empty.files,
      all.map((_one, at) => fileOf(at, 'a'.repeat(16))),
    ),
  });
  const edited = (
    from: Plan,
    changes: readonly [string, Backend][],
    files: readonly [string, PlanFile][],
  ): Plan =>
    createPlan(
      {
        ...from,
        backends: editOrderedMap(from.backends, changes),
        sections: editOrderedMap(from.sections, changes.map(sectionOf)),
        files: editOrderedMap(from.files, [['haproxy.cfg', config(from, changes.length)], ...files]),
      },
      from,
    );
  return {
    plan,
    watched,
    edited,
    backendAt,
    fileOf,
    readsOf: <T>(work: () => T): readonly [result: T, reads: number] => {
      reads = 0;
      const result = work();
      return [result, reads];
    },
  };
}

function config(plan: Plan, edits: number): PlanFile {
  const held = getEntry(plan.files, 'haproxy.cfg');
  if (held === undefined) throw new Error('no configuration');
  return { ...held, digest: String(edits).padStart(16, '0') };
}

const shared = <V>(a: OrderedMap<V>, b: OrderedMap<V>) =>
  a.chunks.filter((chunk) => b.chunks.includes(chunk)).length;

describe('the cost of a diff', () => {
  it('follows the change: a certificate, and a host that comes, among ten thousand of a crt-list', () => {
    const { plan: bare, watched, fileOf, edited, readsOf } = countingPlan();
    const path = 'ssl/list.txt';
    const entryAt = (at: number, name: string): [string, CrtListEntry] => {
      const entry = { certificate: `ssl/${nameOf(at)}.pem`, options: [], sniFilters: [name] };
      return [name, watched({ ...entry, text: `${entry.certificate} ${name}\n` })];
    };
    const entries = orderedMapFrom(
      Array.from({ length: backends }, (_, at) => entryAt(at, `${nameOf(at)}.test`)),
    );
    const listed = (from: Plan, all: OrderedMap<CrtListEntry>): Plan =>
      createPlan({ ...from, crtLists: editOrderedMap(from.crtLists, [[path, { path, entries: all }]]) });
    const plan = listed(bare, entries);
    const inventory = inventoryOf(plan);
    const baseOf = (before: Plan) => baselineOf(before, '3.4', { inventory });
    const renewed = edited(plan, [], [fileOf(77, 'b'.repeat(16))]);
    diff(renewed, baseOf(plan));
    const more = listed(renewed, editOrderedMap(entries, [entryAt(78, 'new.test')]));
    diff(more, baseOf(renewed));
    const again = edited(more, [], [fileOf(79, 'b'.repeat(16))]);
    const base = baseOf(more);
    const [decision, reads] = readsOf(() => diff(again, base));
    expect(decision.batches.flat()).toEqual([{ kind: 'cert_set', path: `ssl/${nameOf(79)}.pem` }]);
    expect(reads).toBeGreaterThan(10);
    expect(reads).toBeLessThan(1_000);
  });

  it('follows the change: an endpoint and a certificate among ten thousand', () => {
    const { plan, edited, backendAt, fileOf, readsOf } = countingPlan();
    const next = edited(plan, [backendAt(nameOf(4321), '10.0.0.2')], [fileOf(77, 'b'.repeat(16))]);
    const baseline = baselineOf(plan, '3.4', { inventory: inventoryOf(plan) });
    const [decision, reads] = readsOf(() => diff(next, baseline));
    expect(decision.batches.flat().map(({ kind }) => kind)).toEqual(['cert_set', 'server_set_addr']);
    expect(reads).toBeGreaterThan(10);
    expect(reads).toBeLessThan(500);
  });

  it('follows the change in place as well, and the plan of the worker shares the rest', () => {
    const { plan, edited, backendAt, fileOf, readsOf } = countingPlan();
    const next = edited(plan, [backendAt(nameOf(4321), '10.0.0.2')], [fileOf(77, 'b'.repeat(16))]);
    const inventory = inventoryOf(plan);
    const baseline = baselineOf(plan, '3.4', { inventory, reloadPending: true });
    const [decision, reads] = readsOf(() => diff(next, baseline));
    expect(decision.inPlace.map(({ kind }) => kind)).toEqual(['cert_set', 'server_set_addr']);
    expect(reads).toBeLessThan(1000);
    const { workerPlan } = decision;
    expect(shared(plan.backends, workerPlan!.backends)).toBeGreaterThanOrEqual(
      plan.backends.chunks.length - 2,
    );
    expect(shared(plan.files, workerPlan!.files)).toBeGreaterThanOrEqual(plan.files.chunks.length - 2);

    const later = edited(next, [backendAt(nameOf(9), '10.0.0.3')], []);
    const pending = baselineOf(next, '3.4', { workerOps: workerPlan!, inventory, reloadPending: true });
    const [again, more] = readsOf(() => diff(later, pending));
    expect(again.inPlace.map(({ kind }) => kind)).toEqual(['server_set_addr']);
    expect(more).toBeLessThan(1500);
  });
});
