import { expect, it } from 'vitest';
import { diff } from '../../src/plan/diff.ts';
import { baselineOf } from '../fixtures/baseline.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { type IngressTraffic, startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { endpointSlice, ingress } from '../fixtures/kube-objects.ts';
import { setUp } from '../fixtures/set-up.ts';

const pool = setUp(() => startEchoPool('a', 'b'));

const route = (name: string, host: string, path = '/') =>
  ingress({ name, rules: [{ host, paths: [{ path, service: 'a' }] }] });

const slice = (...names: string[]) =>
  endpointSlice({
    service: 'a',
    ports: [{ port: pool.at('a').port }],
    endpoints: names.map((name, i) => ({ address: pool.at('a').host, pod: name, ready: i === 0 })),
  });

describeEachLine(
  'changes without a reload',
  (line) => {
    const world = setUp(() => startIngressTraffic(line, pool.objects));

    it('the first route of an empty cluster is served, as a reload would serve it', async () => {
      const { started } = world;
      world.put(route('first', 'first.example.com'));
      const next = world.bundle();
      const decision = diff(next.plan, baselineOf(started.plan, line.line));
      expect(decision.reasons).toEqual([]);
      expect(decision.verdict).toBe('runtime');

      const request = { host: 'first.example.com', target: '/x?y' };
      expect(await world.outcome(request)).toBe('404');
      const pid = await world.haproxy.workerPid();
      await world.run(decision.batches.flat());
      const atRuntime = await world.echo(request);
      expect(atRuntime.server).toBe('a');
      expect(await world.haproxy.workerPid()).toBe(pid);
      const stateAtRuntime = await stateOf(world);
      expect(stateAtRuntime).toHaveLength(1);

      await world.deploy();
      expect(await world.haproxy.workerPid()).not.toBe(pid);
      expect(await world.echo(request)).toEqual(atRuntime);
      expect(await stateOf(world)).toEqual(stateAtRuntime);
    });

    it('routes to a backend that is there are entries of maps only', () => {
      const before = world.bundle();
      world.put(route('second', '*.example.org', '/x'));
      const decision = diff(world.bundle().plan, baselineOf(before.plan, line.line));
      expect(decision.verdict).toBe('runtime');
      expect(decision.batches.flat().map(({ kind }) => kind)).toEqual(['map_add', 'map_add']);
    });

    it('the last route goes as it came', async () => {
      const before = await world.deploy();
      world.remove(route('first', 'first.example.com'), route('second', '*.example.org', '/x'));
      const next = world.bundle();
      expect(next.plan.id).toBe(world.started.plan.id);
      const decision = diff(next.plan, baselineOf(before.plan, line.line));
      expect(decision.verdict).toBe('runtime');
      await world.run(decision.batches.flat());
      expect(await world.outcome({ host: 'first.example.com', target: '/x' })).toBe('404');
    });

    it('a shape of policies that went comes back, as long as the worker lives', async () => {
      const shaped = (service: string) =>
        ingress({
          name: service,
          annotations: { 'haproxy-haptic.org/response-del-header': 'Server' },
          rules: [{ host: `${service}.example.com`, paths: [{ path: '/', service }] }],
        });
      world.put(shaped('a'));
      const withIt = await world.deploy();
      world.remove(shaped('a'));
      const without = world.bundle();
      const gone = diff(without.plan, baselineOf(withIt.plan, line.line));
      expect(gone.reasons).toEqual([]);
      await world.run(gone.batches.flat());
      expect(await world.outcome({ host: 'a.example.com' })).toBe('404');

      world.put(shaped('b'));
      const { plan } = world.bundle();
      const base = baselineOf(without.plan, line.line);
      expect(diff(plan, base).reasons).toEqual([
        expect.stringMatching(/^backend .*no profile/),
        expect.stringMatching(/^profile .*: new/),
      ]);
      const back = diff(plan, { ...base, loadedProfiles: withIt.plan.profiles });
      expect(back.reasons).toEqual([]);
      const pid = await world.haproxy.workerPid();
      await world.run(back.batches.flat());
      const atRuntime = await world.echo({ host: 'b.example.com' });
      expect(await world.haproxy.workerPid()).toBe(pid);
      await world.deploy();
      expect(await world.echo({ host: 'b.example.com' })).toEqual(atRuntime);
    });
  },
  (line) => line === '3.4',
);

describeEachLine('endpoints without a reload', (line) => {
  const world = setUp(() => startIngressTraffic(line, [...pool.objects, route('one', 'a.example.com')]));

  it.each([
    ['a pod comes, not ready', () => slice('a', 'new')],
    ['a pod becomes ready and another not', () => slice('new', 'a')],
    ['all pods are replaced', () => slice('other')],
    ['all pods go', () => endpointSlice({ service: 'a', endpoints: [] })],
    ['pods come back', () => slice('a')],
  ])('%s', (_title, object) => {
    const before = world.bundle();
    world.put(object());
    const decision = diff(world.bundle().plan, baselineOf(before.plan, line.line));
    expect(decision.reasons).toEqual([]);
    expect(['runtime', 'noop']).toContain(decision.verdict);
  });
});

async function stateOf(world: IngressTraffic): Promise<string[]> {
  const state = await world.haproxy.cli('show servers state');
  // Backend and server names, address, operational and administrative state, weight, port; ids differ by history.
  return state
    .split('\n')
    .filter((entry) => /^\d+ /.test(entry))
    .map((entry) => entry.split(' '))
    .map((fields) => [1, 3, 4, 5, 6, 7, 18].map((index) => fields[index]).join(' '));
}
