import http2 from 'node:http2';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { annotatedIngress } from '../fixtures/annotated-ingress.ts';
import { createCertificatePool } from '../fixtures/certificate-pool.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { secret } from '../fixtures/kube-objects.ts';
import { setUp } from '../fixtures/set-up.ts';

const pool = setUp(() => startEchoPool('web', 'authority'));
const certificates = setUp(() => createCertificatePool());

describeEachLine('policies that keep requests out, over HTTPS and HTTP/2', (line) => {
  const world = setUp(() =>
    startIngressTraffic(
      line,
      [
        ...pool.objects,
        certificates.secretOf('fallback'),
        secret({ name: 'users', type: 'Opaque', data: { auth: 'ann::secret' } }),
        annotatedIngress('local.example.com', { 'allowlist-source-range': '127.0.0.0/8, ::1' }),
        annotatedIngress('remote.example.com', { 'allowlist-source-range': '10.0.0.0/8' }),
        annotatedIngress('limited.example.com', { 'limit-requests': '2', 'limit-period': '1m' }),
        annotatedIngress('small.example.com', { 'proxy-body-size': '10' }),
        annotatedIngress('staff.example.com', { 'auth-secret': 'users' }),
        annotatedIngress('portal.example.com', { 'auth-url': 'svc://authority:80/check' }),
        annotatedIngress('closed.example.com', {
          'auth-url': 'svc://nothing:80/check',
          'auth-signin': 'https://login.example.com/',
        }),
      ],
      { defaultCertificates: [{ namespace: 'shop', name: 'fallback' }] },
    ),
  );
  let session: http2.ClientHttp2Session;
  beforeAll(() => {
    session = http2.connect(`https://${world.https.host}:${world.https.port}`, {
      rejectUnauthorized: false,
      servername: 'shop.example.com',
    });
  });
  afterAll(() => session.destroy());

  /** Status and body; `body` is sent without telling its length. */
  const ask = (host: string, headers: http2.OutgoingHttpHeaders = {}, body?: string) =>
    new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
      const stream = session.request(
        {
          ':authority': `${host}.example.com`,
          ':method': body === undefined ? 'GET' : 'POST',
          ':path': '/',
          ...headers,
        },
        { endStream: body === undefined },
      );
      let [status, text] = [0, ''];
      stream.on('response', (answer) => (status = answer[':status'] ?? 0));
      stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
      stream.on('error', (error: Error) => (status === 0 ? reject(error) : undefined));
      stream.on('close', () => resolve({ status, text }));
      if (body !== undefined) stream.end(body);
    });
  const status = async (...args: Parameters<typeof ask>) => (await ask(...args)).status;

  it('go by the address of the client', async () => {
    expect([await status('local'), await status('remote')]).toEqual([200, 403]);
  });

  it('count over HTTP and HTTPS together', async () => {
    expect(await status('limited')).toBe(200);
    expect((await world.request({ host: 'limited.example.com' })).status).toBe(200);
    expect(await status('limited')).toBe(429);
    expect((await world.request({ host: 'limited.example.com' })).status).toBe(429);
  });

  it('measure bodies', async () => {
    expect(await status('small', {}, 'x'.repeat(10))).toBe(200);
    expect(await status('small', {}, 'x'.repeat(11))).toBe(413);
  });

  it('ask for passwords', async () => {
    const authorization = `Basic ${Buffer.from('ann:secret').toString('base64')}`;
    expect([await status('staff'), await status('staff', { authorization })]).toEqual([401, 200]);
  });

  it('ask another server', async () => {
    expect([await status('portal'), await status('closed')]).toEqual([200, 503]);
  });
});
