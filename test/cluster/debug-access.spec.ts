import pino from 'pino';
import { of } from 'rxjs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadKubeConfig } from '../../src/kube/kube-config.ts';
import { type KubeTransport, kubeTransport } from '../../src/kube/kube-transport.ts';
import { reviewAccess } from '../../src/kube/review-access.ts';
import { createTaps } from '../../src/operators/taps.ts';
import { buildServer } from '../../src/server/build-server.ts';
import { createNamespace, describeOnCluster } from '../fixtures/control-plane.ts';
import type { Kubectl } from '../fixtures/kubectl.ts';

describeOnCluster('debug pages from elsewhere, with a token of a real API server', (cluster) => {
  let kubectl: Kubectl;
  let transport: KubeTransport;
  let namespace: string;
  const role = () => `${namespace}-debug`;

  beforeAll(async () => {
    kubectl = await cluster.kubectl();
    transport = kubeTransport(loadKubeConfig({ kubeconfigPath: cluster.kubeconfigPath }));
    namespace = await createNamespace(kubectl);
    for (const name of ['may', 'may-not'])
      await kubectl.ok(['create', 'serviceaccount', name, '--namespace', namespace]);
    await kubectl.ok(['create', 'clusterrole', role(), '--verb=get', '--non-resource-url=/debug/*']);
    await kubectl.ok([
      ...['create', 'clusterrolebinding', role(), `--clusterrole=${role()}`],
      `--serviceaccount=${namespace}:may`,
    ]);
  });
  afterAll(async () => {
    await kubectl.ok(['delete', 'clusterrolebinding,clusterrole', role()]);
    await kubectl.ok(['delete', 'namespace', namespace, '--wait=false']);
    await kubectl.close();
    await transport.close();
  });

  const tokenOf = async (name: string) =>
    (await kubectl.ok(['create', 'token', name, '--namespace', namespace])).trim();

  async function ask(token: string | undefined, url = '/debug/taps', method: 'GET' | 'PUT' = 'GET') {
    const taps = createTaps();
    of(1)
      .pipe(taps.point('x', (value) => value))
      .subscribe();
    const server = buildServer({
      logger: pino({ level: 'silent' }),
      health: { live: [], ready: [] },
      debug: {
        taps,
        events: { last: () => [] },
        graph: () => '',
        plan: () => Promise.resolve(undefined),
        vars: {},
        heartbeat: 1_000,
        ask: (question, signal) => reviewAccess(transport, question, signal),
      },
    });
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const answer = await server.inject({ method, url, remoteAddress: '10.1.2.3', headers });
    await server.close();
    return { status: answer.statusCode, body: answer.body };
  }

  test('are for whom RBAC lets at them', async () => {
    const token = await tokenOf('may');
    expect(await ask(token)).toStrictEqual({ status: 200, body: '{"taps":["x"]}' });
    expect((await ask(token, '/debug/events?limit=1')).status).toBe(200);
  });

  test('are for nobody else, who is told what is missing', async () => {
    const { status, body } = await ask(await tokenOf('may-not'));
    expect(status).toBe(403);
    expect(body).toContain(`system:serviceaccount:${namespace}:may-not may not get /debug/taps`);
  });

  test.each([undefined, 'garbage', 'eyJhbGciOiJSUzI1NiJ9.e30.c2ln'])(
    'are not for the token %s',
    async (token) => {
      expect((await ask(token)).status).toBe(401);
    },
  );
});
