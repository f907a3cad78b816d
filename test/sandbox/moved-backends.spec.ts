import http from 'node:http';
import { expect, it } from 'vitest';
import { type AnyProtocol, startAnyProtocolServer } from '../fixtures/any-protocol-server.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { eventually } from '../fixtures/haproxy-process.ts';
import { endpointSlice, ingress, service } from '../fixtures/kube-objects.ts';
import { startSandboxTraffic } from '../fixtures/sandbox-traffic.ts';
import { setUp } from '../fixtures/set-up.ts';

const host = 'moving.test';
const words = { http: 'http', h2c: 'kubernetes.io/h2c', https: 'https' } as const;
/** One is served by each server at a time, the others wait. */
const clients = 6;

describeEachLine(
  'another appProtocol',
  (line) => {
    const server = setUp(() => startAnyProtocolServer(10));
    const traffic = setUp(() => startSandboxTraffic({ haproxy: line.path }));
    const moving = (protocol: AnyProtocol) =>
      service({ name: 'moving', selector: null, ports: [{ appProtocol: words[protocol] }] });
    const agent = () => new http.Agent({ keepAlive: true, maxSockets: clients });
    const ask = (by: http.Agent) =>
      new Promise<string>((resolve) => {
        const { hostname, port } = new URL(traffic.sandbox.httpUrl);
        const request = http.get({ host: hostname, port, headers: { host }, agent: by }, (response) => {
          let text = '';
          response.setEncoding('latin1');
          response.on('data', (part: string) => (text += part));
          response.on('end', () => resolve(response.statusCode === 200 ? text : String(response.statusCode)));
          response.on('error', ({ message }) => resolve(message));
        });
        request.on('error', ({ message }) => resolve(message));
      });

    it('moves requests to another backend without a reload, and loses none of those that wait in the former', async () => {
      await traffic.put(
        moving('http'),
        endpointSlice({
          service: 'moving',
          ports: [{ port: server.port }],
          endpoints: [{ address: server.host, pod: 'only' }],
        }),
        ingress({
          name: 'moving',
          annotations: { 'haproxy-haptic.org/maxconn-server': '1' },
          rules: [{ host, paths: [{ path: '/', service: 'moving' }] }],
        }),
      );
      const lonely = agent();
      await eventually('it is served', async () => ((await ask(lonely)) === 'http' ? true : undefined));
      await traffic.settled();
      const before = await traffic.reloads();

      const answers = new Map<string, number>();
      const stopping = new AbortController();
      const kept = agent();
      const loops = Array.from({ length: clients }, async () => {
        while (!stopping.signal.aborted) {
          const answer = await ask(kept);
          answers.set(answer, (answers.get(answer) ?? 0) + 1);
        }
      });
      for (const protocol of ['h2c', 'https', 'http', 'h2c', 'http', 'https'] as const) {
        await traffic.put(moving(protocol));
        await eventually(`it is spoken to in ${protocol}`, async () =>
          (await ask(lonely)) === protocol ? true : undefined,
        );
      }
      await traffic.settled();
      stopping.abort();
      await Promise.all(loops);
      kept.destroy();
      lonely.destroy();

      expect([...answers.keys()].sort()).toEqual(['h2c', 'http', 'https']);
      expect(await traffic.reloads()).toBe(before);
      await eventually('the former backends are gone', async () => {
        const rows = (await traffic.cli('show backend'))
          .split('\n')
          .filter((row) => row.includes('_moving_'));
        return /^shop_moving_80_tls_s[0-9a-f]{16}$/.test(rows.join()) ? true : undefined;
      });
    });
  },
  (line) => line === '3.4',
);
