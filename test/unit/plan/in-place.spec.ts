import { describe, expect, it } from 'vitest';
import { getEntry } from '../../../src/lib/ordered-map.ts';
import type { Baseline } from '../../../src/plan/baseline.ts';
import { capabilitiesOf } from '../../../src/plan/capabilities.ts';
import { diff } from '../../../src/plan/diff.ts';
import { inventoryOf } from '../../../src/plan/inventory-of.ts';
import { limits } from '../../../src/protocol/limits.ts';
import type { Plan } from '../../../src/protocol/plan.ts';
import { allOperations, baselineOf } from '../../fixtures/baseline.ts';
import { makePlan, type ServerSketch, type Sketch } from '../../fixtures/make-plan.ts';

const pod = (n: number, more: Partial<ServerSketch> = {}): ServerSketch => ({
  name: `pod-${n}`,
  address: `10.0.${n >> 8}.${n & 255}`,
  port: 80,
  ...more,
});
const base: Sketch = {
  core: { global: 'global\n' },
  profiles: { std: [] },
  backends: { api: { servers: [pod(9)] }, shop: { servers: [pod(1), pod(2)] } },
  maps: { 'maps/path.map': { entries: [['/a', 'shop'], ['/b', 'shop']] } }, // prettier-ignore
  files: { 'files/start.lua': { text: 'one' }, 'ssl/a.pem': { kind: 'cert', text: 'A' } },
};
const withShop = (...servers: ServerSketch[]): Sketch => ({
  ...base,
  backends: { ...base.backends, shop: { servers } },
});
const withPaths = (entries: readonly (readonly [string, string])[], from = base): Sketch => ({
  ...from,
  maps: { 'maps/path.map': { entries } },
});
const withCart = (from = base): Sketch => ({
  ...from,
  backends: { ...from.backends, cart: { servers: [pod(7)] } },
});
/** A change that needs a reload and touches nothing else. */
const withLua = (from: Sketch): Sketch => ({
  ...from,
  files: { ...from.files, 'files/start.lua': { text: 'two' } },
});

function decide(before: Sketch | Plan, after: Sketch, version = '3.0', overrides: Partial<Baseline> = {}) {
  const held = 'schemaVersion' in before ? before : makePlan(before);
  return diff(makePlan(after), baselineOf(held, version, overrides));
}
const shop = (n: number) => ({ backend: 'shop', server: `pod-${n}` });

describe('changes in place', () => {
  it('bring endpoints to the worker while a new backend waits for its reload', () => {
    const decision = decide(base, withCart(withShop(pod(2, { address: '10.0.9.9' }), pod(3))));
    expect(decision.reasons).toEqual(['backend cart: new, and HAProxy 3.0 cannot add backends at runtime']);
    expect(decision.inPlace).toEqual([
      { kind: 'server_add', ...shop(3), address: '10.0.0.3', port: 80, keywords: [] },
      { kind: 'server_enable', ...shop(3) },
      { kind: 'server_set_addr', ...shop(2), address: '10.0.9.9', port: 80 },
      { kind: 'server_disable', ...shop(1) },
    ]);
  });

  it('are composed when a reload is pending, whatever is changed', () => {
    const decision = decide(base, withShop(pod(1)), '3.4', { reloadPending: true });
    expect(decision.inPlace).toEqual([{ kind: 'server_disable', ...shop(2) }]);
  });

  it('are none where nothing is asked of the worker, or nothing is known of it', () => {
    expect(decide(base, withShop(pod(1))).inPlace).toEqual([]);
    expect(decide(base, withShop(pod(1)), '3.0', { applied: undefined }).inPlace).toEqual([]);
    expect(decide(base, withLua(base))).toMatchObject({ verdict: 'reload', inPlace: [] });
    expect(decide(base, withLua(base)).workerPlan).toBeUndefined();
  });

  it('go on from the worker as it is by then', () => {
    const first = decide(base, withCart(withShop(pod(1))));
    const back = decide(first.workerPlan!, withCart(withShop(pod(1), pod(2))));
    expect(back.inPlace).toEqual([{ kind: 'server_enable', ...shop(2) }]);
    const same = decide(first.workerPlan!, withCart(withShop(pod(1))));
    expect(same.inPlace).toEqual([]);
    expect(same.reasons).toEqual(first.reasons);
  });

  it('share with the worker’s plan what did not change', () => {
    const held = makePlan(base);
    const { workerPlan } = decide(held, withCart(withShop(pod(1))));
    expect(getEntry(workerPlan!.backends, 'api')).toBe(getEntry(held.backends, 'api'));
    expect(workerPlan!.maps).toBe(held.maps);
    expect(workerPlan!.sections).toBe(held.sections);
  });

  it('take no server out where a new one cannot come in', () => {
    const decision = decide(
      base,
      withCart(withShop(pod(1, { weight: 5 }), pod(3, { address: 'db.example' }))),
    );
    expect(decision.inPlace).toEqual([{ kind: 'server_set_weight', ...shop(1), weight: 5 }]);
  });

  it('add no server whose certificate the worker has not loaded', () => {
    const extra = [{ name: 'crt', args: ['ssl/c.pem'] }];
    const after = withShop(pod(1), pod(2), pod(3, { extra }));
    const files = { ...base.files, 'ssl/c.pem': { kind: 'cert' as const, text: 'C' } };
    expect(decide(base, withCart({ ...after, files })).inPlace).toEqual([]);
    expect(decide(base, { ...after, files }).batches.flat()[0]).toEqual({
      kind: 'cert_new',
      path: 'ssl/c.pem',
    });
  });

  it('leave a server alone that would be changed by half', () => {
    const after = withShop(pod(1), pod(2, { address: '10.0.9.9', extra: [{ name: 'ssl', args: [] }] }));
    expect(decide(base, after)).toMatchObject({ verdict: 'reload', inPlace: [] });
  });

  it('set certificates, but load none and touch no crt-list', () => {
    const lists = (...entries: string[]) => ({ 'ssl/list.txt': entries });
    const held = { ...base, crtLists: lists('ssl/a.pem') };
    const after: Sketch = {
      ...withLua({ ...held, crtLists: lists('ssl/a.pem', 'ssl/b.pem') }),
      files: {
        'files/start.lua': { text: 'two' },
        'ssl/a.pem': { kind: 'cert', text: 'A2' },
        'ssl/b.pem': { kind: 'cert', text: 'B' },
      },
    };
    const decision = decide(held, after);
    expect(decision.inPlace).toEqual([{ kind: 'cert_set', path: 'ssl/a.pem' }]);
    expect(decide(decision.workerPlan!, after).inPlace).toEqual([]);
    const large = {
      ...after.files,
      'ssl/a.pem': { kind: 'cert' as const, text: 'x'.repeat(limits.payloadBytes + 1) },
    };
    expect(decide(held, { ...after, files: large }).inPlace).toEqual([]);
  });

  describe('of maps', () => {
    const moved = [['/a', 'api'], ['/b', 'shop']] as const; // prettier-ignore
    const fewer = [['/a', 'shop']] as const; // prettier-ignore
    const more = [['/a', 'api'], ['/b', 'shop'], ['/c', 'shop']] as const; // prettier-ignore

    it('set values and delete keys', () => {
      expect(decide(base, withLua(withPaths(moved))).inPlace).toEqual([
        { kind: 'map_set', path: 'maps/path.map', key: '/a', value: 'api' },
      ]);
      expect(decide(base, withLua(withPaths(fewer))).inPlace).toEqual([
        { kind: 'map_del', path: 'maps/path.map', key: '/b' },
      ]);
    });

    it('set no value while a backend is yet to come, and still delete', () => {
      expect(decide(base, withCart(withPaths(moved))).inPlace).toEqual([]);
      expect(decide(base, withCart(withPaths(fewer))).inPlace.map(({ kind }) => kind)).toEqual(['map_del']);
    });

    it('are all or none: a new key or a replacement makes all maps wait', () => {
      expect(decide(base, withLua(withPaths(more))).inPlace).toEqual([]);
      const two = (entries: Sketch['maps']): Sketch => ({ ...base, maps: { ...base.maps, ...entries } });
      const before = two({ 'maps/z.map': { entries: [['k', 'v']] } });
      const after = {
        ...withPaths(moved),
        maps: { ...withPaths(moved).maps, 'maps/z.map': { entries: [['k', 'two words']] } },
      } as const;
      const set = { ...after, maps: { ...after.maps, 'maps/z.map': { entries: [['k', 'w']] } } } as const;
      expect(decide(before, withLua(set)).inPlace.map(({ kind }) => kind)).toEqual(['map_set', 'map_set']);
      const withNew = { ...after, maps: { ...set.maps, 'maps/z.map': { entries: [['k', 'w'], ['l', 'w']] } } } as const; // prettier-ignore
      expect(decide(before, withLua(withNew)).inPlace).toEqual([]);
    });

    it('wait for the configuration that reads them', () => {
      const core = { global: 'global\n  maxconn 9\n' };
      expect(decide(base, { ...withPaths(moved), core }).inPlace).toEqual([]);
      const servers = { ...withPaths(moved, withShop(pod(1))), core };
      expect(decide(base, servers).inPlace.map(({ kind }) => kind)).toEqual(['server_disable']);
    });

    it('do not matter where the worker has not loaded the map', () => {
      const inventory = { ...inventoryOf(makePlan(base)), maps: [] };
      expect(decide(base, withLua(withPaths(moved)), '3.0', { inventory }).inPlace).toEqual([]);
    });
  });

  it('are at most one batch: what does not fit waits, as a whole', () => {
    const many = (count: number) => Array.from({ length: count }, (_, n) => pod(n + 1));
    const fits = decide(base, withCart(withShop(...many(501))));
    expect(fits.inPlace).toHaveLength(998);
    const after = {
      ...withShop(...many(700)),
      backends: { api: { servers: [] }, shop: { servers: many(700) } },
    };
    const decision = decide(base, withCart(after));
    expect(decision.inPlace).toEqual([{ kind: 'server_disable', backend: 'api', server: 'pod-9' }]);
    expect(getEntry(decision.workerPlan!.backends, 'shop')?.servers).toHaveLength(2);
  });

  it('hold nothing that the agent does not execute', () => {
    const kinds = allOperations.filter((kind) => kind !== 'server_add');
    const capabilities = capabilitiesOf({ version: '3.0' }, kinds);
    const after = {
      ...withShop(pod(1), pod(2), pod(3)),
      backends: { api: { servers: [] }, shop: { servers: [pod(1), pod(2), pod(3)] } },
    };
    expect(decide(base, withCart(after), '3.0', { capabilities }).inPlace).toEqual([
      { kind: 'server_disable', backend: 'api', server: 'pod-9' },
    ]);
  });

  it('have another plan id than any render', () => {
    const after = withCart(withShop(pod(1)));
    const { workerPlan } = decide(base, after);
    expect([makePlan(base).id, makePlan(after).id]).not.toContain(workerPlan?.id);
  });
});
