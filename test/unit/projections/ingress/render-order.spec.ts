import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Bundle } from '../../../../src/protocol/bundle.ts';
import { bundleFiles, createIngressRenderer } from '../../../fixtures/ingress-renderer.ts';
import {
  endpointSlice,
  ingress,
  ingressClass,
  service,
  serviceBackend,
} from '../../../fixtures/kube-objects.ts';

import { edits, finalObjects } from '../arbitrary-objects.ts';

const names = ['a', 'b', 'c', 'd', 'e'];

/** What is said of each of the Ingresses: policies, canaries of the others, other hosts, ways of their own. */
const said: readonly Readonly<Record<string, string>>[] = [
  { headers: 'X-A: a', 'rewrite-target': '/v', 'http-response-503': 'later' },
  { canary: 'true', 'canary-weight': '10', 'canary-by-header': 'X-C' },
  { 'server-alias': 'b.example.com', 'redirect-from': 'old.example.com', 'mirror-target': 'svc://a:80' },
  { headers: 'X-A: d', 'timeout-server': '5s' },
  { canary: 'true', 'canary-by-header': 'X-C', 'canary-by-cookie': 'c', 'canary-weight': '20' },
];

/** Objects with everything that an order of arrival could decide: conflicts, shared hosts, shared backends, duplicates. */
const objects = [
  ingressClass({ isDefault: true }),
  ...names.flatMap((name, i) => [
    service({
      name,
      ports: [
        { name: 'http', port: 80 },
        { name: 'alt', port: 81 },
      ],
    }),
    ...[1, 2, 3].map((part) =>
      endpointSlice({
        name: `${name}-${part}`,
        service: name,
        ports: [
          { name: 'http', port: 8080 + part },
          { name: 'alt', port: 9000 },
        ],
        endpoints: [
          `10.0.${i}.${part}`,
          `10.0.${i}.9`,
          { address: `10.0.${i}.8`, ready: part === 2, pod: 'same' },
        ],
      }),
    ),
    ingress({
      name,
      annotations: Object.fromEntries(
        Object.entries(said[i] ?? {}).map(([key, value]) => [`haproxy-haptic.org/${key}`, value]),
      ),
      created: `2026-01-0${1 + (i % 2)}T00:00:00Z`,
      className: i % 2 === 0 ? 'haptic' : null,
      defaultBackend: i === 4 ? undefined : serviceBackend(name),
      rules:
        i === 3
          ? []
          : [
              {
                host: 'shared.example.com',
                paths: [
                  '/',
                  { path: '/x', service: name },
                  { path: `/${name}`, pathType: 'Exact', port: 'alt', service: name },
                ],
              },
              { host: `*.${name}.example.com`, paths: [{ path: '/', service: 'a' }] },
              { paths: [{ path: '/', service: name }] },
            ],
    }),
  ]),
];

function filesOf(list: typeof objects, turns: number, renderer = createIngressRenderer()) {
  list.forEach((object, i) => {
    renderer.put(object);
    if (i % turns === 0) renderer.bundle();
  });
  const bundle = renderer.bundle();
  return {
    id: bundle.plan.id,
    files: bundleFiles(bundle),
    problems: sortedProblems(bundle),
  };
}

function sortedProblems(bundle: Bundle): string[] {
  return bundle.problems.map((problem) => JSON.stringify(problem)).sort();
}

describe('the rendered libraries', () => {
  it('are those made from scratch in any order, to the byte, after random sequences of edits', () => {
    const check = fc.property(edits, fc.infiniteStream(fc.nat()), (list, order) => {
      const stepwise = createIngressRenderer();
      stepwise.put(ingressClass());
      for (const { object, remove, turn } of list) {
        if (remove) stepwise.remove(object);
        else stepwise.put(object);
        if (turn) stepwise.bundle();
      }
      const scratch = createIngressRenderer();
      const left = finalObjects([{ object: ingressClass(), remove: false }, ...list]);
      const ranked = left.map((object) => ({ object, rank: order.next().value as number }));
      scratch.put(...ranked.sort((a, b) => a.rank - b.rank).map(({ object }) => object));
      const [a, b] = [stepwise.bundle(), scratch.bundle()];
      expect(bundleFiles(a)).toEqual(bundleFiles(b));
      expect(a.plan.id).toBe(b.plan.id);
      expect(sortedProblems(a)).toEqual(sortedProblems(b));
    });
    fc.assert(check, { numRuns: 300 });
  }, 300_000);

  it('HT#14: are the same to the byte in 50 orders of arrival', () => {
    // Its templates are compiled for it alone.
    const expected = filesOf(objects, 1000, createIngressRenderer({ extraContext: {} }));
    expect(expected.problems.length).toBeGreaterThan(0);
    expect(expected.files['maps/path.map']).toContain('shared.example.com/');
    fc.assert(
      fc.property(
        fc.shuffledSubarray(objects, { minLength: objects.length }),
        fc.integer({ min: 1, max: 30 }),
        (list, turns) => {
          expect(filesOf(list, turns)).toEqual(expected);
        },
      ),
      { numRuns: 50 },
    );
  }, 120_000);

  it('are those of an empty cluster again when everything is gone', () => {
    const renderer = createIngressRenderer();
    const empty = renderer.bundle();
    renderer.put(...objects);
    expect(renderer.bundle().plan.id).not.toBe(empty.plan.id);
    renderer.remove(...objects);
    const after = renderer.bundle();
    expect(after.plan.id).toBe(empty.plan.id);
    expect(bundleFiles(after)).toEqual(bundleFiles(empty));
    expect(after.problems).toEqual([]);
  });
});
