import { expect, it } from 'vitest';
import { rootRule } from '../fixtures/certificate-pool.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { ingress } from '../fixtures/kube-objects.ts';
import { setUp } from '../fixtures/set-up.ts';

const pool = setUp(() => startEchoPool('root'));

const claimed = ['X-Forwarded-Host: evil.example', 'X-Forwarded-Port: 1', 'X-Real-IP: 192.0.2.1'];
const names = ['x-forwarded-host', 'x-forwarded-port', 'x-real-ip'];

describeEachLine('what servers are told of the request', (line) => {
  it.each([
    [false, 'shop.example.com', ['evil.example', '1', '192.0.2.1']],
    [true, 'shop.example.com', ['shop.example.com', '80', '127.9.8.7']],
    [true, 'shop.example.com:99999', ['shop.example.com:99999', '80', '127.9.8.7']],
    [true, 'shop.example.com:8080', ['shop.example.com:8080', '8080', '127.9.8.7']],
  ])('with forwardedHost %s, asked for %s', async (forwardedHost, host, told) => {
    const world = await startIngressTraffic(
      line,
      [...pool.objects, ingress({ rules: [rootRule('shop.example.com')] })],
      { extraContext: { forwardedHost } },
    );
    try {
      const { headers } = await world.echo({ host, headers: claimed, from: '127.9.8.7' });
      expect(names.map((name) => headers[name])).toEqual(told);
    } finally {
      await world.stop();
    }
  });

  // FastCGI makes X_SSL_CLIENT_VERIFY of each of these: what applications believe of clients' certificates.
  const forged = ['X-SSL-Client-Verify', 'X_SSL_Client_Verify', 'X-SSL_Client-Verify', 'X.SSL.Client.Verify'];
  it.each([
    [false, ['x-kept']],
    [true, ['x_kept', 'x.kept', 'x-kept']],
  ])('with underscoresInHeaders %s', async (underscoresInHeaders, kept) => {
    const world = await startIngressTraffic(
      line,
      [...pool.objects, ingress({ rules: [rootRule('shop.example.com')] })],
      { extraContext: { underscoresInHeaders } },
    );
    try {
      const headers = [...forged, 'x_kept', 'x.kept', 'x-kept'].map((name) => `${name}: 0`);
      const seen = Object.keys((await world.echo({ host: 'shop.example.com', headers })).headers);
      expect(seen.filter((name) => /^x.(ssl|kept)/i.test(name))).toEqual(kept);
    } finally {
      await world.stop();
    }
  });
});
