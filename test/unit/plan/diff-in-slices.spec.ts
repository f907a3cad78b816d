import { describe, expect, it } from 'vitest';
import { orderedMapFrom, type OrderedMap, valuesOf } from '../../../src/lib/ordered-map.ts';
import { createPlan } from '../../../src/plan/create-plan.ts';
import { diff } from '../../../src/plan/diff.ts';
import { diffInSlices } from '../../../src/plan/diff-in-slices.ts';
import { limits } from '../../../src/protocol/limits.ts';
import type { Plan } from '../../../src/protocol/plan.ts';
import { baselineOf } from '../../fixtures/baseline.ts';
import { makePlan } from '../../fixtures/make-plan.ts';

const size = 4_000;
const path = 'maps/path.map';
/** Backends, and entries, that one slice may look at: what one batch of operations takes, and those that a pause comes after. */
const most = limits.operationsPerBatch + 64;

interface Seen {
  readonly backends: Set<string>;
  readonly entries: Set<string>;
}

function planOf(backends: number, { profile = 'mode http', port = 80, value = 'a' } = {}): Plan {
  const names = Array.from({ length: backends }, (_, at) => `be-${String(at).padStart(4, '0')}`);
  return makePlan({
    core: { global: 'global\n' },
    profiles: { std: [profile] },
    backends: Object.fromEntries(
      names.map((name) => [name, { servers: [{ name: 'pod-1', address: '10.0.0.1', port }] }]),
    ),
    maps: { [path]: { entries: names.map((name) => [`${name}.example.com`, `${name}/${value}`]) } },
  });
}

/** The plan, of which it is noted what is looked at. */
function watched(plan: Plan, seen: Seen): Plan {
  return createPlan({
    ...plan,
    backends: noted(plan.backends, (backend) => backend.name, seen.backends),
    maps: orderedMapFrom(
      [...valuesOf(plan.maps)].map((map) => [
        map.path,
        { ...map, entries: noted(map.entries, (entry) => entry.key, seen.entries) },
      ]),
    ),
  });
}

function noted<V extends object>(
  map: OrderedMap<V>,
  name: (value: V) => string,
  seen: Set<string>,
): OrderedMap<V> {
  const get: ProxyHandler<V>['get'] = (target, key, receiver): unknown => {
    seen.add(name(target));
    return Reflect.get(target, key, receiver);
  };
  return orderedMapFrom(
    [...valuesOf(map)].map((value): [string, V] => [name(value), new Proxy(value, { get })]),
  );
}

describe('a diff in slices', () => {
  it.each([
    ['come', planOf(0), planOf(size)],
    ['go', planOf(size), planOf(0)],
    ['change at runtime', planOf(size), planOf(size, { port: 81, value: 'b' })],
    ['get another profile', planOf(size), planOf(size, { profile: 'mode tcp', port: 81, value: 'b' })],
  ])('looks at few backends and entries between two pauses, where all of them %s', (_what, before, after) => {
    const seen: Seen = { backends: new Set(), entries: new Set() };
    const base = baselineOf(watched(before, seen));
    const next = watched(after, seen);
    seen.backends.clear();
    seen.entries.clear();
    let all = 0;
    const slices = diffInSlices(next, base);
    let result = slices.next();
    for (;;) {
      expect(seen.backends.size).toBeLessThanOrEqual(most);
      expect(seen.entries.size).toBeLessThanOrEqual(most);
      all += seen.backends.size;
      seen.backends.clear();
      seen.entries.clear();
      if (result.done === true) break;
      result = slices.next();
    }
    expect(all).toBeGreaterThanOrEqual(size);
    const { workerPlan: _worker, ...decision } = result.value;
    expect(diff(after, baselineOf(before))).toMatchObject(decision);
  });

  it('pauses every few entries of a crt-list, where all of them come or go', () => {
    const listed = (count: number): Plan => {
      const certificates = Array.from({ length: count }, (_, at) => `ssl/${at}.pem`);
      return makePlan({
        crtLists: {
          'lists/certs.list': [
            'ssl/default.pem',
            ...certificates.map((certificate, at) => ({ certificate, sniFilters: [`${at}.example.com`] })),
          ],
        },
        files: Object.fromEntries(
          ['ssl/default.pem', ...certificates].map((file) => [file, { kind: 'cert', text: file }]),
        ),
      });
    };
    for (const [before, after] of [
      [listed(0), listed(size)],
      [listed(size), listed(0)],
    ] as const) {
      const slices = diffInSlices(after, baselineOf(before));
      let pauses = 0;
      while (slices.next().done !== true) pauses++;
      expect(pauses).toBeGreaterThan(size / 100);
    }
  });
});
