import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { firstValueFrom } from 'rxjs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { factsOfFreshHaproxy, runningFacts } from '../fixtures/compare-haproxy.ts';
import { type EchoServer, startEcho } from '../fixtures/echo-server.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { eventually } from '../fixtures/haproxy-process.ts';
import { endpointSlice, type EndpointOptions, ingress, service } from '../fixtures/kube-objects.ts';
import { type SandboxTraffic, startSandboxTraffic } from '../fixtures/sandbox-traffic.ts';

const ingresses = 'networking.k8s.io/v1/ingresses';
const slices = 'discovery.k8s.io/v1/endpointslices';

const route = (name: string, port = 80, to = name) =>
  ingress({ name, rules: [{ host: `${name}.test`, paths: [{ path: '/', service: to, port }] }] });

describeEachLine('changes reach HAProxy', (line) => {
  /** Lines before 3.4 cannot be given a backend at runtime. */
  const hasDynamicBackends = line.line === '3.4';
  const pool = new Map<string, EchoServer>();
  let traffic: SandboxTraffic;

  const echo = (name: string) => {
    const server = pool.get(name);
    if (server === undefined) throw new Error(`no echo server ${name}`);
    return server;
  };
  /** Where no other test is: the last byte of a random address is 250 at most. */
  const neighbour = (last: number) => {
    const { host, port } = echo('a');
    return { host: host.replace(/\d+$/, String(last)), port };
  };
  /** A slice whose endpoints are echo servers. All of them listen on one port, each on an address of its own. */
  const slice = (of: string, ...endpoints: readonly (string | (EndpointOptions & { at: string }))[]) => {
    const all = endpoints.map((given) => (typeof given === 'string' ? { at: given, ready: true } : given));
    return endpointSlice({
      service: of,
      ports: [{ port: echo('a').port }],
      endpoints: all.map(({ at, ...state }) => ({ address: echo(at).host, pod: at, ...state })),
    });
  };
  const app = (name: string, ...endpoints: Parameters<typeof slice>[1][]) => [
    service({ name, selector: null }),
    slice(name, ...endpoints),
    route(name),
  ];
  const serverRows = async (backend: string) =>
    (await runningFacts(traffic.cli, [])).servers.filter((row) => row.startsWith(`${backend}/`));
  const deliveries = async () => (await traffic.log()).filter(({ msg }) => msg === 'delivered').length;

  const lastReload = async () => {
    const delivery = (await traffic.log()).findLast(({ mode }) => mode === 'reload');
    return `the last reload was for ${JSON.stringify(delivery?.['reasons'])}`;
  };

  beforeAll(async () => {
    const first = await startEcho('a');
    pool.set('a', first);
    for (const [i, name] of ['b', 'c', 'd', 'e'].entries())
      pool.set(name, await startEcho(name, neighbour(251 + i)));
    traffic = await startSandboxTraffic({ haproxy: line.path });
    await traffic.settled();
  });
  afterAll(async () => {
    await traffic.stop();
    await Promise.all([...pool.values()].map((server) => server.stop()));
  });
  afterEach(() => {
    expect(traffic.restarts()).toStrictEqual({ haproxy: 0, agent: 0, controller: 0 });
  });

  test('the very first route of an empty cluster is served', async () => {
    await traffic.answeredWith('first.test', 404);
    const before = await traffic.reloads();
    await traffic.put(...app('first', 'a'));
    await traffic.served('first.test', 'a');
    await traffic.settled();
    if (hasDynamicBackends) expect(await traffic.reloads(), await lastReload()).toBe(before);
    else expect(await traffic.reloads()).toBeGreaterThan(before);
  });

  test('objects are served whatever the order in which they come', async () => {
    const [theService, theSlice, theIngress] = app('order', 'b') as [KubeObject, KubeObject, KubeObject];
    const before = await traffic.reloads();
    await traffic.put(theIngress);
    await traffic.answeredWith('order.test', 503);
    await traffic.put(theSlice);
    await traffic.put(theService);
    await traffic.served('order.test', 'b');
    if (hasDynamicBackends) expect(await traffic.reloads(), await lastReload()).toBe(before);
  });

  describe('endpoints', () => {
    let before: number;
    beforeAll(async () => {
      await traffic.put(...app('pods', 'a'));
      await traffic.served('pods.test', 'a');
      await traffic.settled();
      before = await traffic.reloads();
    });
    afterEach(async () => {
      expect(await traffic.reloads(), await lastReload()).toBe(before);
    });

    test('scaled from one to five and back fail no request and reload nothing', async () => {
      const load = traffic.keepAsking('pods.test');
      await traffic.put(slice('pods', 'a', 'b', 'c', 'd', 'e'));
      await traffic.servedBy('pods.test', ['a', 'b', 'c', 'd', 'e']);
      await traffic.put(slice('pods', 'a'));
      await traffic.servedBy('pods.test', ['a']);
      await traffic.settled();
      expect(await load.stop()).toStrictEqual([]);
      await eventually('the servers of the others are gone', async () =>
        (await serverRows('shop_pods_80')).length === 1 ? true : undefined,
      );
    });

    test('replaced by others, one whose process then ends, fail no request', async () => {
      const doomed = await startEcho('doomed', neighbour(255));
      const load = traffic.keepAsking('pods.test');
      await traffic.put(
        endpointSlice({
          service: 'pods',
          ports: [{ port: doomed.port }],
          endpoints: [{ address: doomed.host, pod: 'doomed', ready: true }],
        }),
      );
      await traffic.servedBy('pods.test', ['doomed']);
      await traffic.put(slice('pods', 'b'));
      await traffic.servedBy('pods.test', ['b']);
      await traffic.settled();
      await doomed.stop();
      await traffic.servedBy('pods.test', ['b']);
      expect(await load.stop()).toStrictEqual([]);
    });

    test('that become unready and ready again keep their server, and nothing fails', async () => {
      await traffic.put(slice('pods', 'a', 'b'));
      await traffic.servedBy('pods.test', ['a', 'b']);
      await traffic.settled();
      const load = traffic.keepAsking('pods.test');
      for (let i = 0; i < 3; i++) {
        await traffic.put(slice('pods', 'a', { at: 'b', ready: false }));
        await traffic.servedBy('pods.test', ['a']);
        expect(await serverRows('shop_pods_80')).toHaveLength(2);
        await traffic.put(slice('pods', 'a', 'b'));
        await traffic.servedBy('pods.test', ['a', 'b']);
      }
      expect(await load.stop()).toStrictEqual([]);
    });

    test('a readiness flap is one operation', async () => {
      await traffic.put(slice('pods', 'a', { at: 'b', ready: false }));
      await traffic.servedBy('pods.test', ['a']);
      const last = (await traffic.log()).findLast(({ msg }) => msg === 'delivered');
      expect(last).toMatchObject({ mode: 'runtime', operations: 1 });
      await traffic.put(slice('pods', 'a', 'b'));
      await traffic.servedBy('pods.test', ['a', 'b']);
    });

    test('that terminate while they serve get nothing new, unless they are all there is', async () => {
      const leaving = { ready: false, serving: true, terminating: true };
      const load = traffic.keepAsking('pods.test');
      await traffic.put(slice('pods', 'a', { at: 'b', ...leaving }));
      await traffic.servedBy('pods.test', ['a']);
      expect(await serverRows('shop_pods_80')).toStrictEqual([
        expect.stringMatching(/^shop_pods_80\/a .* weight=100 maint=false$/),
        expect.stringMatching(/^shop_pods_80\/b .* weight=0 maint=false$/),
      ]);
      await traffic.put(slice('pods', { at: 'a', ...leaving }, { at: 'b', ...leaving }));
      await traffic.servedBy('pods.test', ['a', 'b']);
      await traffic.put(slice('pods', 'c'));
      await traffic.servedBy('pods.test', ['c']);
      expect(await load.stop()).toStrictEqual([]);
    });

    test('gone are answered with 503, and served again when one is back', async () => {
      await traffic.put(slice('pods'));
      await traffic.answeredWith('pods.test', 503);
      await traffic.remove(slices, 'pods-1');
      await traffic.answeredWith('pods.test', 503);
      await traffic.put(slice('pods', 'd'));
      await traffic.servedBy('pods.test', ['d']);
    });

    test('on another port are followed', async () => {
      const moved = await startEcho('moved');
      await traffic.put(
        endpointSlice({
          service: 'pods',
          ports: [{ port: moved.port }],
          endpoints: [{ address: moved.host, pod: 'd', ready: true }],
        }),
      );
      await traffic.servedBy('pods.test', ['moved']);
      await traffic.put(slice('pods', 'd'));
      await traffic.servedBy('pods.test', ['d']);
      await moved.stop();
    });
  });

  test('another port of the Service is served once the Ingress names it', async () => {
    await traffic.put(...app('ports', 'a'));
    await traffic.served('ports.test', 'a');
    const before = await traffic.reloads();
    await traffic.put(service({ name: 'ports', selector: null, ports: [{ port: 8080 }] }));
    await traffic.answeredWith('ports.test', 503);
    await traffic.put(route('ports', 8080));
    await traffic.served('ports.test', 'a');
    await traffic.settled();
    if (hasDynamicBackends) expect(await traffic.reloads(), await lastReload()).toBe(before);
  });

  test('a deleted Ingress is 404, and the others are served all the while', async () => {
    await traffic.put(...app('gone', 'a'));
    await traffic.served('gone.test', 'a');
    const before = await traffic.reloads();
    const load = traffic.keepAsking('first.test');
    await traffic.remove(ingresses, 'gone');
    await traffic.answeredWith('gone.test', 404);
    await traffic.settled();
    expect(await load.stop()).toStrictEqual([]);
    if (hasDynamicBackends) expect(await traffic.reloads(), await lastReload()).toBe(before);
  });

  test('an Ingress deleted and created again, many times in a row, ends up served', async () => {
    await traffic.put(...app('again', 'a'));
    await traffic.served('again.test', 'a');
    const load = traffic.keepAsking('again.test', ({ status }) => [200, 404, 503].includes(status));
    for (let i = 0; i < 12; i++) {
      await traffic.remove(ingresses, 'again');
      if (i % 3 === 0) await traffic.answeredWith('again.test', 404);
      await traffic.put(route('again'));
      if (i % 4 === 0) await traffic.served('again.test', 'a');
    }
    await traffic.served('again.test', 'a');
    await traffic.settled();
    expect(await load.stop()).toStrictEqual([]);
    expect((await traffic.ask('again.test')).server).toBe('a');
  });

  test('three hundred routes at once are served after few applies, and gone again when they are deleted', async () => {
    const names = Array.from({ length: 300 }, (_, i) => `burst-${i}`);
    const [applies, reloads] = [await deliveries(), await traffic.reloads()];
    const load = traffic.keepAsking('first.test');
    const objects = names.flatMap((name, i) => app(name, 'abcde'.charAt(i % 5)));
    await firstValueFrom(traffic.sandbox.api.client.createMany(objects.map(stripped)));
    const unserved = new Set(names);
    await eventually('all are served', async () => {
      for (const name of [...unserved]) {
        if ((await traffic.ask(`${name}.test`)).server !== 'abcde'.charAt(Number(name.slice(6)) % 5)) return;
        unserved.delete(name);
      }
      return true;
    });
    await traffic.settled();
    expect(await deliveries()).toBeLessThan(applies + 30);
    if (hasDynamicBackends) expect(await traffic.reloads(), await lastReload()).toBe(reloads);

    await Promise.all(names.map((name) => traffic.remove(ingresses, name)));
    for (const name of names) await traffic.answeredWith(`${name}.test`, 404);
    await traffic.settled();
    expect(await load.stop()).toStrictEqual([]);
    expect(await deliveries()).toBeLessThan(applies + 60);
  });

  test('after all of it HAProxy runs what a fresh one makes of the files', async () => {
    const bundle = await traffic.settled();
    const config = await readFile(join(traffic.baseDir, 'haproxy.cfg'), 'utf8');
    // Those of policies are read where a profile looks into them.
    const maps = bundle.files
      .map(({ path }) => path)
      .filter((path) => path.startsWith('maps/') && config.includes(path));
    expect(maps).toContain('maps/path.map');
    const binds = [...config.matchAll(/^\s+bind (\S+:\d+)$/gm)].map(([, address]) => address ?? '');
    expect(binds).toHaveLength(2);
    const fresh = await factsOfFreshHaproxy(line, traffic.baseDir, binds, maps);
    // What was just removed is deleted once nothing uses it.
    await eventually('what is no longer wanted is deleted', async () => {
      const { servers, backends } = await runningFacts(traffic.cli, []);
      return servers.length === fresh.servers.length && backends.length === fresh.backends.length
        ? true
        : undefined;
    });
    expect(await runningFacts(traffic.cli, maps)).toStrictEqual(fresh);
    expect(fresh.servers.length).toBeGreaterThan(3);
    expect(fresh.maps['maps/host.map']).not.toStrictEqual([]);
    const record = await traffic.applied();
    expect([record.running.id, record.workerOps.id]).toStrictEqual([bundle.planId, bundle.planId]);
  });
});

function stripped(object: KubeObject): KubeObject {
  const { name, namespace = '', labels } = object.metadata;
  return { ...object, metadata: { name, namespace, ...(labels === undefined ? {} : { labels }) } };
}
