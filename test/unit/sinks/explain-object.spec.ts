import { expect, test } from 'vitest';
import { emptyQuarantine, type QuarantineState } from '../../../src/gate/quarantine-state.ts';
import { emptyOrderedMap, getEntry } from '../../../src/lib/ordered-map.ts';
import { explainObject } from '../../../src/sinks/explain-object.ts';
import { findObjects } from '../../../src/sinks/find-objects.ts';
import { createIngressRenderer } from '../../fixtures/ingress-renderer.ts';
import { endpointSlice, ingress, ingressClass, service } from '../../fixtures/kube-objects.ts';

const app = (name: string, to = name) => [
  service({ name }),
  endpointSlice({
    service: name,
    ports: [{ port: 8080 }],
    endpoints: [{ address: '10.0.0.1', pod: 'a', ready: true }],
  }),
  ingress({ name, rules: [{ host: `${name}.test`, paths: [{ path: '/', service: to, port: 80 }] }] }),
];

function rendered() {
  const renderer = createIngressRenderer();
  renderer.put(ingressClass(), ...app('shop'), ...app('blog'), ...app('lost', 'nobody'));
  return renderer.bundle();
}

test('an object is explained by its lines, its map entries and its problems', () => {
  const bundle = rendered();
  const config = Buffer.concat(getEntry(bundle.plan.files, 'haproxy.cfg')?.content() ?? []).toString();
  const shop = explainObject(bundle, emptyQuarantine, 'Ingress shop/shop');
  expect(shop).toMatchObject({
    object: 'Ingress shop/shop',
    planId: bundle.plan.id,
    problems: [],
    omitted: 0,
  });
  expect(shop?.mapEntries.map(({ line }) => line)).toContainEqual(expect.stringContaining('shop.test'));
  expect(shop?.leadsTo).toStrictEqual([
    { backend: 'shop_shop_80', profile: 'haptic-http', owner: 'Service shop/shop' },
  ]);
  expect(JSON.stringify(shop)).not.toContain('blog');
  const [section] = explainObject(bundle, emptyQuarantine, 'Service shop/shop')?.sections ?? [];
  expect(section?.text).toContain('backend shop_shop_80');
  // The lines are those of the file.
  const lines = config.split('\n').slice((section?.firstLine ?? 0) - 1, section?.lastLine);
  expect(`${lines.join('\n')}\n`).toBe(section?.text);
});

test('an object that has nothing but a problem is explained by it, and one that has nothing is unknown', () => {
  const bundle = rendered();
  expect(explainObject(bundle, emptyQuarantine, 'Ingress shop/lost')?.problems).not.toStrictEqual([]);
  expect(explainObject(bundle, emptyQuarantine, 'Ingress shop/none')).toBeUndefined();
});

test('one that is held back is told why, though it prints nothing', () => {
  const state: QuarantineState = {
    ...emptyQuarantine,
    entries: new Map([
      [
        'Ingress shop/bad',
        {
          kind: 'excluded',
          state: 'confirmed',
          words: "unknown keyword 'x'",
          owner: { kind: 'Ingress', namespace: 'shop', name: 'bad' },
          at: emptyOrderedMap(),
          since: 0,
          refused: new Set<string>(),
        } as never,
      ],
    ]),
  };
  expect(explainObject(rendered(), state, 'Ingress shop/bad')?.held).toStrictEqual({
    kind: 'excluded',
    state: 'confirmed',
    since: '1970-01-01T00:00:00.000Z',
    words: "unknown keyword 'x'",
  });
});

test('objects are found by words of their names, those with problems alone, too', () => {
  const bundle = rendered();
  expect(findObjects(bundle, 'ingress SHOP', 10)).toStrictEqual([
    'Ingress shop/blog',
    'Ingress shop/lost',
    'Ingress shop/shop',
  ]);
  expect(findObjects(bundle, 'lost', 10)).toStrictEqual(['Ingress shop/lost']);
  expect(findObjects(bundle, '', 1)).toHaveLength(1);
  expect(findObjects(bundle, 'nothing', 10)).toStrictEqual([]);
});
