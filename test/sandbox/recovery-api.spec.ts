import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { FaultAction } from '../../src/sandbox/api/faults.ts';
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
const kinds = ['ingresses', 'services', 'endpointslices', 'ingressclasses', 'pods'] as const;

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
  const lastReload = async () => {
    const delivery = (await traffic.log()).findLast(({ mode }) => mode === 'reload');
    return `the last reload was for ${JSON.stringify(delivery?.['reasons'])}`;
  };

  beforeAll(async () => {
    echoes = [await startEcho('one'), await startEcho('two')];
    traffic = await startSandboxTraffic({ haproxy: haproxy?.path ?? '', watchTimeout: '6s' });
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

  describe('from an API that', () => {
    afterEach(async () => {
      // Whatever the API did, requests went on and every process of ours stayed.
      expect(await load.stop()).toStrictEqual([]);
      expectRestarts({});
      expect(await traffic.reloads(), await lastReload()).toBe(reloads);
    });

    test('is down for a while', async () => {
      const { faults } = traffic.sandbox.api;
      await faults.stopListening();
      const host = await putNew();
      await eventually('the controller noticed', async () =>
        (await traffic.log()).findLast(({ msg }) => msg === 'watch retrying') === undefined
          ? undefined
          : true,
      );
      expect((await traffic.ask(host)).status).toBe(404);
      await faults.resumeListening();
      await traffic.served(host, 'one');
    });

    test('breaks watches off in the middle of a line', async () => {
      const { faults } = traffic.sandbox.api;
      {
        const resumed = eventually('watches are back', () =>
          kinds.every((resource) => faults.openWatches({ resource }) > 0) ? true : undefined,
        );
        faults.cutWatches();
        await servesSomethingNew();
        await resumed;
      }
    });

    test('leaves watches silent: their connections are given up in time', async () => {
      const { faults } = traffic.sandbox.api;
      faults.silenceWatches();
      await servesSomethingNew();
    });

    test('has forgotten the versions that watches resume from', async () => {
      const { faults } = traffic.sandbox.api;
      await faults.stopListening();
      const host = await putNew();
      const gone = `new-${routes - 2}`;
      await traffic.remove('networking.k8s.io/v1/ingresses', gone);
      faults.compact();
      await faults.resumeListening();
      await traffic.served(host, 'one');
      await traffic.answeredWith(`${gone}.test`, 404);
    });

    test('answers every kind once with 429, 500, or by closing the connection', async () => {
      const { faults } = traffic.sandbox.api;
      const actions: readonly FaultAction[] = [
        { kind: 'status', code: 429, retryAfterSeconds: 1 },
        { kind: 'status', code: 500 },
        { kind: 'reset' },
      ];
      for (const [i, resource] of kinds.entries()) {
        const action = actions[i % actions.length];
        if (action !== undefined) faults.inject({ match: { method: 'GET', resource }, action, count: 1 });
      }
      faults.closeConnections();
      await servesSomethingNew();
      await movesEndpoints(`new-${routes - 1}`);
    });
  });
});
