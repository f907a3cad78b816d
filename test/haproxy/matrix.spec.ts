import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CertificatePool, createCertificatePool } from '../fixtures/certificate-pool.ts';
import type { Echo } from '../fixtures/echo-server.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import {
  type EchoPool,
  type IngressTraffic,
  startEchoPool,
  startIngressTraffic,
} from '../fixtures/ingress-traffic.ts';
import { type MatrixProbe, matrixRows, matrixServers } from '../fixtures/matrix-rows.ts';

let pool: EchoPool;
let certificates: CertificatePool;
beforeAll(async () => {
  pool = await startEchoPool(...matrixServers);
  certificates = await createCertificatePool();
});
afterAll(() => pool.stop());

describeEachLine('the matrix of traffic', (line) => {
  let world: IngressTraffic;
  beforeAll(async () => {
    const objects = matrixRows.flatMap((row) => row.objects);
    world = await startIngressTraffic(
      line,
      [...pool.objects, certificates.secretOf('fallback'), ...objects],
      {
        defaultCertificates: [{ namespace: 'shop', name: 'fallback' }],
      },
    );
  });
  afterAll(() => world.stop());

  const ask = async (
    protocol: 'HTTP' | 'HTTPS',
    { host, target = '/', method = 'GET', headers, body }: MatrixProbe,
  ) => {
    const options = { method, path: target, headers: { host, ...headers }, agent: false };
    const request =
      protocol === 'HTTP'
        ? http.request({ ...world.http, ...options })
        : https.request({ ...world.https, ...options, servername: 'matrix.test', rejectUnauthorized: false });
    request.end(body);
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    const text = (await answer.setEncoding('utf8').toArray()).join('');
    const echo = answer.statusCode === 200 ? (JSON.parse(text) as Echo) : undefined;
    return { outcome: echo?.server ?? String(answer.statusCode), headers: answer.headers, echo };
  };

  describe.each(['HTTP', 'HTTPS'] as const)('over %s', (protocol) => {
    const probes = matrixRows.flatMap(({ feature, yes, no }) => [
      ...yes.map((probe) => [`${feature}: ${nameOf(probe)}`, probe] as const),
      ...no.map((probe) => [`not ${feature}: ${nameOf(probe)}`, probe] as const),
    ]);

    it.each(probes)('%s', async (_name, probe) => {
      for (let i = 1; i < (probe.times ?? 1); i++) await ask(protocol, probe);
      const { outcome, headers, echo } = await ask(protocol, probe);
      expect(outcome).toBe(probe.outcome);
      for (const [name, value] of Object.entries(probe.has ?? {}))
        expect([name, headers[name]]).toEqual([name, value]);
      if (probe.sets !== undefined) expect(headers['set-cookie']?.join()).toContain(`${probe.sets}=`);
      if (probe.asked?.url !== undefined) expect(echo?.url).toBe(probe.asked.url);
      for (const [name, value] of Object.entries(probe.asked?.headers ?? {})) {
        expect([name, echo?.headers[name]]).toEqual([name, value]);
      }
      if (echo !== undefined) expect(echo.headers['x-forwarded-proto']).toBe(protocol.toLowerCase());
    });
  });
});

const nameOf = ({ method = 'GET', host, target = '/', headers = {}, outcome }: MatrixProbe) =>
  `${[method, host + target, ...Object.keys(headers)].join(' ')}: ${outcome}`;
