import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { firstValueFrom } from 'rxjs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type EchoServer, startEcho } from '../fixtures/echo-server.ts';
import { newestHaproxyLine } from '../fixtures/haproxy-lines.ts';
import { eventually } from '../fixtures/haproxy-process.ts';
import { endpointSlice, ingress, service } from '../fixtures/kube-objects.ts';
import {
  type Load,
  type Restarts,
  type SandboxTraffic,
  startSandboxTraffic,
} from '../fixtures/sandbox-traffic.ts';

const haproxy = newestHaproxyLine();

describe.skipIf(haproxy === undefined)('the system recovers', () => {
  let traffic: SandboxTraffic;
  let echoes: readonly EchoServer[];
  let load: Load;
  let restarts: Restarts;
  let reloads: number;
  let routes = 0;

  const app = (name: string, server = 0) => {
    const { host, port } = echoes[server] ?? { host: '', port: 0 };
    return [
      service({ name, selector: null }),
      endpointSlice({
        service: name,
        ports: [{ port }],
        endpoints: [{ address: host, pod: name, ready: true }],
      }),
      ingress({ name, rules: [{ host: `${name}.test`, paths: [{ path: '/', service: name }] }] }),
    ];
  };
  /** A route that was never there, made now; what is left is to wait until it is served. */
  const putNew = async () => {
    const name = `new-${routes++}`;
    await traffic.put(...app(name));
    return `${name}.test`;
  };
  const servesSomethingNew = async () => traffic.served(await putNew(), 'one');
  /** A change at the endpoints of a route that is there. */
  const movesEndpoints = async (name: string) => {
    await traffic.put(...app(name, 1).slice(1, 2));
    await traffic.servedBy(`${name}.test`, ['two']);
  };
  /** Exactly these processes were started again, and since `beforeEach`. */
  const expectRestarts = (wanted: Partial<Restarts>) => {
    const now = traffic.restarts();
    const since = {
      haproxy: now.haproxy - restarts.haproxy,
      agent: now.agent - restarts.agent,
      controller: now.controller - restarts.controller,
    };
    expect(since).toStrictEqual({ haproxy: 0, agent: 0, controller: 0, ...wanted });
  };
  const kill = (pid: number | undefined) => {
    if (pid === undefined) throw new Error('it does not run');
    process.kill(pid, 'SIGKILL');
  };
  const lastReload = async () => {
    const delivery = (await traffic.log()).findLast(({ mode }) => mode === 'reload');
    return `the last reload was for ${JSON.stringify(delivery?.['reasons'])}`;
  };
  const workerPid = async () => Number(/^Pid: (\d+)$/m.exec(await traffic.cli('show info'))?.[1]);
  const planKept = () =>
    eventually('the pod keeps the plan of what it runs', async () => {
      const { blob, applied } = await traffic.applied();
      return blob?.id === applied.id && applied.id === (await traffic.settled()).planId ? true : undefined;
    });

  beforeAll(async () => {
    echoes = [await startEcho('one'), await startEcho('two')];
    traffic = await startSandboxTraffic({ haproxy: haproxy?.path ?? '', driftPreventionInterval: '2s' });
    await traffic.put(...app('steady'));
    await traffic.served('steady.test', 'one');
  });
  afterAll(async () => {
    await traffic.stop();
    await Promise.all(echoes.map((echo) => echo.stop()));
  });
  beforeEach(async () => {
    await traffic.settled();
    restarts = traffic.restarts();
    reloads = await traffic.reloads();
    load = traffic.keepAsking('steady.test');
  });
  afterEach(async () => {
    traffic.sandbox.api.faults.clear();
    await load.stop();
  });

  describe('from a lost process:', () => {
    test.each([
      ['the HAProxy master', () => Promise.resolve(traffic.sandbox.haproxy.pid())],
      ['the HAProxy worker', workerPid],
    ])('%s', async (_, pidOf) => {
      const before = traffic.sandbox.haproxy.pid();
      kill(await pidOf());
      await eventually('HAProxy was started again', () => {
        const now = traffic.sandbox.haproxy.pid();
        return now !== undefined && now !== before ? true : undefined;
      });
      await traffic.served('steady.test', 'one');
      await load.stop();
      load = traffic.keepAsking('steady.test');
      await servesSomethingNew();
      await movesEndpoints(`new-${routes - 1}`);
      expect(await load.stop()).toStrictEqual([]);
      expectRestarts({ haproxy: 1 });
      await traffic.settled();
    });

    test('the agent, while nothing happens', async () => {
      const before = traffic.sandbox.agent.pid();
      kill(before);
      await eventually('the agent was started again', () => {
        const now = traffic.sandbox.agent.pid();
        return now !== undefined && now !== before ? true : undefined;
      });
      await servesSomethingNew();
      await movesEndpoints(`new-${routes - 1}`);
      expect(await load.stop()).toStrictEqual([]);
      expect(await traffic.reloads(), await lastReload()).toBe(reloads);
      expectRestarts({ agent: 1 });
    });

    test('the agent, in the middle of a burst of changes', async () => {
      const hosts: string[] = [];
      for (let i = 0; i < 40; i++) {
        hosts.push(await putNew());
        if (i % 10 === 5) await traffic.served(hosts[0] ?? '', 'one');
        if (i === 20) kill(traffic.sandbox.agent.pid());
      }
      for (const host of hosts) await traffic.served(host, 'one');
      await traffic.settled();
      expect(await load.stop()).toStrictEqual([]);
      expect(await traffic.reloads(), await lastReload()).toBeLessThanOrEqual(reloads + 1);
      expectRestarts({ agent: 1 });
    });

    test('the controller, after its plan was left with the pod: without a reload', async () => {
      await planKept();
      const before = traffic.sandbox.controller.pid();
      kill(before);
      await eventually('the controller was started again', () => {
        const now = traffic.sandbox.controller.pid();
        return now !== undefined && now !== before ? true : undefined;
      });
      await servesSomethingNew();
      await movesEndpoints(`new-${routes - 1}`);
      expect(await load.stop()).toStrictEqual([]);
      expect(await traffic.reloads(), await lastReload()).toBe(reloads);
      expectRestarts({ controller: 1 });
    });

    test('the controller, right after a change: with one reload at most', async () => {
      await planKept();
      const host = await putNew();
      await traffic.served(host, 'one');
      kill(traffic.sandbox.controller.pid());
      await servesSomethingNew();
      await traffic.served(host, 'one');
      expect(await load.stop()).toStrictEqual([]);
      expect(await traffic.reloads(), await lastReload()).toBeLessThanOrEqual(reloads + 1);
      expectRestarts({ controller: 1 });
    });

    test('all three at once', async () => {
      await load.stop();
      kill(traffic.sandbox.controller.pid());
      kill(traffic.sandbox.agent.pid());
      kill(traffic.sandbox.haproxy.pid());
      await servesSomethingNew();
      await traffic.served('steady.test', 'one');
      await eventually('each was started again', () => {
        expectRestarts({ haproxy: 1, agent: 1, controller: 1 });
        return true;
      });
    });
  });

  describe('from a hand on the pod:', () => {
    test('a deleted Pod object is replaced by a pod that serves everything', async () => {
      await load.stop();
      const { client } = traffic.sandbox.api;
      const key = { namespace: 'haptic', name: 'haproxy-0' };
      const { uid } = (await firstValueFrom(client.get('v1/pods', key))).metadata;
      await firstValueFrom(client.delete('v1/pods', key));
      await eventually('another pod is there', async () =>
        (await firstValueFrom(client.get('v1/pods', key))).metadata.uid === uid ? undefined : true,
      );
      await traffic.served('steady.test', 'one');
      await servesSomethingNew();
      await traffic.settled();
      expect(traffic.restarts().controller).toBe(restarts.controller);
    });

    test.each(['maps/host.map', 'haproxy.cfg'])('an edited %s is written anew', async (path) => {
      const file = join(traffic.baseDir, path);
      const before = await readFile(file, 'utf8');
      await writeFile(file, `${before}# by hand\n`);
      await eventually('it is as it was', async () => {
        const text = await readFile(file, 'utf8');
        return text === before ? true : undefined;
      });
      await traffic.settled();
      expect(await load.stop()).toStrictEqual([]);
      await servesSomethingNew();
      expectRestarts({});
    });
  });
});
