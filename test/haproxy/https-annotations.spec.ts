import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type tls from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { prefixed } from '../fixtures/prefixed.ts';
import { createCertificatePool, rootRule } from '../fixtures/certificate-pool.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { type IngressTraffic, startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { ingress } from '../fixtures/kube-objects.ts';
import { setUp } from '../fixtures/set-up.ts';

const pool = setUp(() => startEchoPool('root'));
const certificates = setUp(() => createCertificatePool());

const hostOf = (name: string, said: Readonly<Record<string, string>>, secretName: string | null = 'wild') =>
  ingress({
    name,
    rules: [rootRule(`${name}.example.com`)],
    ...(secretName === null ? {} : { tls: [{ hosts: [`${name}.example.com`], secretName }] }),
    annotations: prefixed(said),
  });
const objects = [
  hostOf('silent', {}),
  hostOf('moved', { 'ssl-redirect': 'true', 'ssl-redirect-code': '301' }),
  hostOf('redirected', { 'ssl-redirect': 'true' }),
  hostOf('kept', { 'ssl-redirect': 'false', hsts: 'false' }),
  hostOf('bare', { 'ssl-redirect': 'true' }, null),
  hostOf('strict', {
    hsts: 'true',
    'hsts-max-age': '60',
    'hsts-preload': 'true',
    'hsts-include-subdomains': 'true',
  }),
  hostOf('short', { hsts: 'true', 'hsts-max-age': '0' }),
  hostOf('newest', { 'ssl-min-version': 'TLSv1.3' }),
  hostOf('chosen', {
    'ssl-ciphers': 'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ssl-cipher-suites': 'TLS_AES_256_GCM_SHA384',
  }),
];

describeEachLine('HTTPS as Ingresses say', (line) => {
  const worlds: IngressTraffic[] = [];
  beforeAll(async () => {
    for (const isOn of [false, true])
      worlds.push(
        await startIngressTraffic(
          line,
          [...pool.objects, certificates.secretOf('fallback'), certificates.secretOf('wild'), ...objects],
          {
            defaultCertificates: [{ namespace: 'shop', name: 'fallback' }],
            extraContext: {
              sslRedirect: isOn,
              sslRedirectPort: 8443,
              hsts: { enabled: isOn, maxAge: 600, includeSubdomains: false, preload: false },
            },
          },
        ),
      );
  });
  afterAll(() => Promise.all(worlds.map((world) => world.stop())));
  const worldOf = (isOn: boolean): IngressTraffic => {
    const world = worlds[isOn ? 1 : 0];
    if (world === undefined) throw new Error('it was not started');
    return world;
  };

  it.each([
    ['silent', undefined, 308],
    ['moved', 301, 301],
    ['redirected', 308, 308],
    ['kept', undefined, undefined],
    ['bare', 308, 308],
  ])('redirects %s by %s, and where all are redirected by %s', async (name, off, on) => {
    for (const [isOn, status] of [
      [false, off],
      [true, on],
    ] as const) {
      const ask = (path: string) =>
        answerTo(
          http.request({
            ...worldOf(isOn).http,
            headers: { host: `${name}.example.com` },
            path,
            agent: false,
          }),
        );
      const { statusCode, headers } = await ask('/a?b');
      expect([statusCode, headers.location]).toEqual(
        status === undefined ? [200, undefined] : [status, `https://${name}.example.com:8443/a?b`],
      );
      expect((await ask('/.well-known/acme-challenge/x')).statusCode).toBe(200);
    }
  });

  it.each([
    ['silent', undefined, 'max-age=600'],
    ['kept', undefined, undefined],
    ['strict', 'max-age=60; includeSubDomains; preload', 'max-age=60; includeSubDomains; preload'],
    ['short', 'max-age=0', 'max-age=0'],
  ])('tells clients of %s to come by HTTPS only: %s, or %s', async (name, off, on) => {
    const host = `${name}.example.com`;
    for (const [isOn, value] of [
      [false, off],
      [true, on],
    ] as const) {
      const secure = { servername: host, headers: { host }, rejectUnauthorized: false, agent: false };
      const answer = await answerTo(https.request({ ...worldOf(isOn).https, ...secure }));
      expect(answer.headers['strict-transport-security']).toBe(value);
      const plain = await answerTo(http.request({ ...worldOf(isOn).http, headers: { host }, agent: false }));
      expect(plain.headers['strict-transport-security']).toBeUndefined();
    }
  });

  it('speaks the versions and ciphers that are said of a host', async () => {
    const shown = (name: string, options: tls.ConnectionOptions) =>
      certificates.shownBy(worldOf(false), `${name}.example.com`, options);
    const [old, recent] = [{ maxVersion: 'TLSv1.2' }, { minVersion: 'TLSv1.3' }] as const;
    expect(await shown('newest', recent)).toBe('wild');
    expect(await shown('newest', old)).toMatch(/^(ERR_SSL|ECONNRESET|EPROTO)/);
    expect(await shown('silent', old)).toBe('wild');
    const other = { ...old, ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' };
    expect(await shown('chosen', { ...old, ciphers: 'ECDHE-ECDSA-AES256-GCM-SHA384' })).toBe('wild');
    expect(await shown('chosen', other)).toMatch(/^(ERR_SSL|ECONNRESET|EPROTO)/);
    expect(await shown('silent', other)).toBe('wild');
    expect(await shown('chosen', { ...recent, ciphers: 'TLS_AES_128_GCM_SHA256' })).toMatch(
      /^(ERR_SSL|ECONNRESET|EPROTO)/,
    );
  });
});

async function answerTo(request: http.ClientRequest): Promise<IncomingMessage> {
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.resume();
  return response;
}
