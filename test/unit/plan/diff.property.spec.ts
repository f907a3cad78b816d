import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diff } from '../../../src/plan/diff.ts';
import { limits } from '../../../src/protocol/limits.ts';
import type { Plan } from '../../../src/protocol/plan.ts';
import { baselineOf } from '../../fixtures/baseline.ts';
import { makePlan, type BackendSketch, type ServerSketch, type Sketch } from '../../fixtures/make-plan.ts';
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
  })
  .map(({ backends, routes, facts, regexes, profiles, core, page }) => {
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
      files: { 'files/503.http': { text: page, reloadOnChange: false } },
    };
  });

/** The second sketch mostly keeps the first one's structural parts, else nearly every pair would reload. */
const edited = fc.tuple(sketch, sketch, fc.nat(255)).map(([before, after, mask]) => {
  const keep = (bit: number) => (mask & (1 << bit)) !== 0;
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
      ...(keep(3) || keep(4) ? { core: before.core, profiles: before.profiles } : {}),
    },
  ] as const;
});

function mostly<T>(usual: T, rare: T): fc.Arbitrary<T> {
  return fc.oneof({ weight: 9, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constant(rare) });
}

/** A request is routed by the map to its backend: that backend must be there, published. */
function assertRoutable(model: WorkerModel): void {
  for (const [path, name] of model.maps.get('maps/route.map') ?? [])
    expect(model.backends.get(name)?.published, `${path} → ${name}`).toBe(true);
}

function run(before: Plan, next: Plan): string {
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
  }
  expect(snapshot(model, next)).toEqual(snapshot(modelOf(next), next));
  if (decision.verdict === 'noop') expect(next.id).toBe(before.id);
  return decision.verdict;
}

describe('diff', () => {
  it('gives operations that turn the one worker into the other, and never routes to a missing backend', () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(edited, ([before, after]) => {
        const verdict = run(makePlan(before), makePlan(after));
        seen.set(verdict, (seen.get(verdict) ?? 0) + 1);
      }),
      { numRuns: 1500 },
    );
    expect(seen.get('runtime') ?? 0).toBeGreaterThan(150);
    expect(seen.get('reload') ?? 0).toBeGreaterThan(50);
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
