import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getEntry, valuesOf } from '../../../src/lib/ordered-map.ts';
import { diff } from '../../../src/plan/diff.ts';
import { limits } from '../../../src/protocol/limits.ts';
import type { Plan } from '../../../src/protocol/plan.ts';
import type { RuntimeInventory } from '../../../src/protocol/wire.ts';
import { baselineOf } from '../../fixtures/baseline.ts';
import type { ListedCertificate } from '../../fixtures/crt-list-facts.ts';
import {
  makePlan,
  type BackendSketch,
  type CertificateSketch,
  type FileSketch,
  type ServerSketch,
  type Sketch,
} from '../../fixtures/make-plan.ts';
import { applyOperation, modelOf, snapshot, type WorkerModel } from '../../fixtures/plan-model.ts';
import { shareStructure } from '../../fixtures/share-structure.ts';

const backendNames = ['api', 'blog', 'cart', 'docs'];

const server: fc.Arbitrary<ServerSketch> = fc
  .record({
    name: fc.constantFrom('pod-1', 'pod-2', 'pod-3', 'pod-4'),
    address: fc.constantFrom('10.0.0.1', '10.0.0.2', '2001:db8::1'),
    port: fc.constantFrom(80, 8080),
    weight: fc.option(fc.constantFrom(0, 1, 100), { nil: undefined }),
    disabled: fc.option(fc.boolean(), { nil: undefined }),
    check: fc.oneof(
      { weight: 8, arbitrary: fc.constant(true) },
      { weight: 1, arbitrary: fc.constant(false) },
    ),
  })
  .map(({ name, address, port, weight, disabled, check }) => ({
    name,
    address,
    port,
    ...(weight === undefined ? {} : { weight }),
    ...(disabled === undefined ? {} : { disabled }),
    extra: check ? [{ name: 'check', args: [] }] : [],
  }));

const backend: fc.Arbitrary<BackendSketch> = fc
  .record({
    profile: mostly('std', 'alt'),
    balance: mostly(undefined, 'leastconn'),
    body: mostly([], ['stick-table type ip size 1k']),
    servers: fc.uniqueArray(server, { selector: ({ name }) => name, maxLength: 4 }),
    defaultServer: mostly([], [{ name: 'weight', args: ['7'] }]),
  })
  .map(({ balance, ...rest }) => ({ ...rest, ...(balance === undefined ? {} : { balance }) }));

const hostNames = ['a.example', 'b.example', '*.c.example', 'd.example'];

const listed: fc.Arbitrary<Required<CertificateSketch>> = fc.record({
  certificate: fc.constantFrom('ssl/a.pem', 'ssl/b.pem', 'ssl/c.pem', 'ssl/d.pem'),
  options: mostly<readonly string[]>([], ['alpn', 'h2']),
  sniFilters: mostly<readonly string[]>(['own.example'], []),
});

/** Mostly one entry with names of its own for a certificate; sometimes several, or names that others have too. */
const crtList = fc
  .array(fc.tuple(listed, fc.subarray(hostNames, { maxLength: 2 })), { maxLength: 4 })
  .map((drawn) =>
    drawn.map(([{ sniFilters, ...entry }, names]) => ({
      ...entry,
      sniFilters:
        sniFilters.length === 0 ? names : names.length > 0 ? names : [`${entry.certificate}.example`],
    })),
  );

const token = fc.constantFrom(
  'a',
  'b',
  'c',
  'two words',
  '#x',
  'semi;colon',
  'back\\slash',
  'https://x/%20?q=1',
);

const sketch: fc.Arbitrary<Sketch> = fc
  .record({
    backends: fc.dictionary(fc.constantFrom(...backendNames), backend, { noNullPrototype: true }),
    routes: fc.dictionary(fc.constantFrom('/a', '/b', '/c', '/d', '/e'), fc.nat(), { noNullPrototype: true }),
    facts: fc.dictionary(fc.constantFrom('k1', 'k2', 'k3', 'odd key'), token, { noNullPrototype: true }),
    regexes: fc.array(fc.tuple(fc.constantFrom('^/a', '^/b', '^/c', '^/\\d'), fc.constantFrom('x', 'y')), {
      maxLength: 4,
    }),
    profiles: mostly(['std', 'alt'], ['std']),
    core: mostly('global\n', 'global\n  maxconn 7\n'),
    page: mostly('gone', 'back'),
    list: crtList,
    defaultCertificate: mostly('ssl/z.pem', 'ssl/y.pem'),
    contents: fc.array(fc.constantFrom('one', 'two'), { minLength: 5, maxLength: 5 }),
  })
  .map(({ backends, routes, facts, regexes, profiles, core, page, ...tls }) => {
    const names = Object.keys(backends);
    const routed = names.length === 0 ? [] : Object.entries(routes);
    return {
      core: { global: core },
      profiles: Object.fromEntries(profiles.map((name) => [name, [`timeout server ${name.length}s`]])),
      backends: Object.fromEntries(
        Object.entries(backends).map(([name, of]) => [
          name,
          { ...of, profile: profiles.includes(of.profile ?? 'std') ? (of.profile ?? 'std') : 'std' },
        ]),
      ),
      maps: {
        'maps/facts.map': { entries: Object.entries(facts) },
        'maps/regex.map': { ordered: true, entries: regexes },
        'maps/route.map': {
          entries: routed.map(([path, n]): [string, string] => [path, names[n % names.length] ?? '']),
        },
      },
      crtLists: { 'ssl/list.txt': [{ certificate: tls.defaultCertificate, sniFilters: [] }, ...tls.list] },
      files: {
        'files/503.http': { text: page, reloadOnChange: false },
        ...certificates(
          [tls.defaultCertificate, ...tls.list.map(({ certificate }) => certificate)],
          tls.contents,
        ),
      },
    };
  });

function certificates(paths: readonly string[], contents: readonly string[]): Record<string, FileSketch> {
  const unique = [...new Set(paths)];
  return Object.fromEntries(unique.map((path, at) => [path, { kind: 'cert', text: contents[at] ?? 'one' }]));
}

/** The second sketch mostly keeps the first one's structural parts, else nearly every pair would reload. */
const edited = fc.tuple(sketch, sketch, fc.nat(255), fc.nat()).map(([before, after, mask, seed]) => {
  const keep = (bit: number) => (mask & (1 << bit)) !== 0;
  const crtLists = keep(5) || keep(6) ? editedList(before, after, seed) : after.crtLists;
  const backends = { ...after.backends };
  for (const [name, old] of Object.entries(before.backends ?? {})) {
    const now = backends[name];
    if (now !== undefined && mask % 8 !== 0) {
      const known = new Map((old.servers ?? []).map((one) => [one.name, one]));
      const servers = (now.servers ?? []).map((one) => ({
        ...one,
        extra: known.get(one.name)?.extra ?? one.extra ?? [],
      }));
      backends[name] = { ...old, servers };
    }
  }
  return [
    before,
    {
      ...after,
      backends,
      ...(crtLists === undefined ? {} : { crtLists }),
      files: { ...before.files, ...after.files },
      ...(keep(3) || keep(4) ? { core: before.core, profiles: before.profiles } : {}),
    },
  ] as const;
});

/** Entries of the first list, most of them, with some of the second one's here and there. */
function editedList(before: Sketch, after: Sketch, seed: number): NonNullable<Sketch['crtLists']> {
  const path = 'ssl/list.txt';
  const list = [...(before.crtLists?.[path] ?? [])].filter(
    (_entry, at) => at === 0 || (seed >> at) % 4 !== 0,
  );
  (after.crtLists?.[path] ?? []).slice(1).forEach((entry, at) => {
    if ((seed >> (at + 4)) % 2 === 0) list.splice(1 + ((seed >> (at + 8)) % list.length), 0, entry);
  });
  return { [path]: list };
}

function mostly<T>(usual: T, rare: T): fc.Arbitrary<T> {
  return fc.oneof({ weight: 9, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constant(rare) });
}

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
      fc.property(edited, ([before, after]) => {
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
      fc.property(fc.array(edited, { minLength: 3, maxLength: 6 }), ([first, ...rest]) => {
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
      fc.property(edited, ([before, after]) => {
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
      fc.property(sketch, (one) => {
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
