import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { annotatedIngress } from '../fixtures/annotated-ingress.ts';
import { type EchoServer, startEcho } from '../fixtures/echo-server.ts';
import { newestHaproxyLine } from '../fixtures/haproxy-lines.ts';
import { eventually } from '../fixtures/haproxy-process.ts';
import { endpointSlice, service } from '../fixtures/kube-objects.ts';
import { startSandboxTraffic, type SandboxTraffic } from '../fixtures/sandbox-traffic.ts';

const haproxy = newestHaproxyLine();

interface Shown {
  readonly objects: readonly { readonly owner: { readonly kind: string; readonly name: string } }[];
}

describe.skipIf(haproxy === undefined)('a snippet that HAProxy refuses', () => {
  let traffic: SandboxTraffic;
  let echo: EchoServer;
  beforeAll(async () => {
    echo = await startEcho('web');
    traffic = await startSandboxTraffic({
      haproxy: haproxy?.path ?? '',
      config: { controller: { snippetAnnotations: true } },
    });
    await traffic.put(
      service({ name: 'web', selector: null }),
      endpointSlice({
        service: 'web',
        ports: [{ port: echo.port }],
        endpoints: [{ address: echo.host, pod: 'web-0' }],
      }),
      annotatedIngress('steady.example.com', {}),
      annotatedIngress('good.example.com', { 'config-backend': 'http-request set-header x-own yes' }),
    );
    await traffic.served('steady.example.com', 'web');
    await traffic.served('good.example.com', 'web');
  });
  afterAll(async () => {
    await traffic.stop();
    await echo.stop();
  });

  it('takes its own route along, and none of its neighbours on the same Service', async () => {
    const load = traffic.keepAsking('steady.example.com', ({ status }) => status === 200);
    await traffic.put(annotatedIngress('bad.example.com', { 'config-backend': 'http-request nonsense' }));
    const held = async () =>
      ((await traffic.tap<Shown>('quarantine'))?.objects ?? []).map(({ owner }) => owner);
    await eventually('it is held', async () => ((await held()).length > 0 ? true : undefined));
    expect(await held()).toMatchObject([{ kind: 'Ingress', name: 'bad' }]);
    await traffic.put(
      annotatedIngress('later.example.com', { 'config-backend': 'http-request set-header x-own no' }),
    );
    await traffic.served('later.example.com', 'web');
    await traffic.answeredWith('bad.example.com', 404);
    await traffic.served('good.example.com', 'web');
    expect(await load.stop()).toEqual([]);
  });
});
