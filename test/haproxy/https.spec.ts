import { once } from 'node:events';
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import tls from 'node:tls';
import { expect, it } from 'vitest';
import { x509 } from '../../src/certificates/x509.ts';
import { answerTo } from '../fixtures/answer-to.ts';
import { type CertificatePool, createCertificatePool, rootRule } from '../fixtures/certificate-pool.ts';
import { issueCertificate } from '../fixtures/certificates.ts';
import { describeEachLine, type HaproxyLine, haproxyLines } from '../fixtures/haproxy-lines.ts';
import { eventually, freeAddress, globalSection, startHaproxy } from '../fixtures/haproxy-process.ts';
import { startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { ingress, secret } from '../fixtures/kube-objects.ts';
import { setUp } from '../fixtures/set-up.ts';

/** The lines that can be clients of HTTP/3. */
const quicClients = haproxyLines().found.filter(({ line }) => line === '3.4');

const pool = setUp(() => startEchoPool('root'));
const certificates = setUp(() => createCertificatePool());

const secretOf: CertificatePool['secretOf'] = (name, as) => certificates.secretOf(name, as);

describeEachLine('HTTPS beside HTTP', (line) => {
  const world = setUp(() =>
    startIngressTraffic(
      line,
      [
        ...pool.objects,
        ...(['fallback', 'shop', 'wild'] as const).map((name) => secretOf(name)),
        ingress({
          name: 'shop',
          rules: [rootRule('shop.example.com'), rootRule('plain.example.com'), rootRule('plain.example.org')],
          tls: [{ hosts: ['shop.example.com'], secretName: 'shop' }],
        }),
        ingress({
          name: 'wild',
          rules: [rootRule('*.example.com')],
          tls: [{ hosts: ['*.example.com'], secretName: 'wild' }],
        }),
      ],
      {
        defaultCertificates: [{ namespace: 'shop', name: 'fallback' }],
        extraContext: {
          sslRedirect: true,
          sslRedirectPort: 8443,
          hsts: { enabled: true, maxAge: 600, includeSubdomains: true, preload: false },
        },
      },
    ),
  );
  const secure = (host: string, target = '/') =>
    answerTo(
      https.request({
        ...{ ...world.https, servername: host, headers: { host }, path: target },
        ...{ rejectUnauthorized: false, agent: false },
      }),
    );
  const plain = (host: string, target = '/') =>
    answerTo(http.request({ ...world.http, headers: { host }, path: target, agent: false }));

  it('routes in the same way, and says so to backends', async () => {
    const answer = await secure('shop.example.com', '/a%2Fb?c');
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toMatchObject({
      server: 'root',
      url: '/a%2Fb?c',
      headers: { 'x-forwarded-proto': 'https' },
    });
    expect((await secure('plain.example.org')).status).toBe(200);
    expect((await secure('nobody.example.org')).status).toBe(404);
  });

  it.each([
    ['a host with a certificate', 'shop.example.com', '/a?b=c', 'https://shop.example.com:8443/a?b=c'],
    ['a port and capitals in the host', 'Shop.Example.com:80', '/', 'https://shop.example.com:8443/'],
    ['a host that only the wildcard names', 'x.example.com', '/', 'https://x.example.com:8443/'],
    ['not a host that a route names and nobody gives a certificate', 'plain.example.com', '/', undefined],
    ['not a host without a certificate', 'plain.example.org', '/', undefined],
    ['not a challenge of ACME', 'shop.example.com', '/.well-known/acme-challenge/t0ken', undefined],
    ['no host that would lead elsewhere', 'evil.org/.example.com', '/', undefined],
  ])('redirects %s', async (_title, host, target, location) => {
    const answer = await plain(host, target);
    expect(answer.headers['location']).toBe(location);
    if (location !== undefined) expect(answer.status).toBe(308);
  });

  it.each([
    ['shop.example.com', 'max-age=600; includeSubDomains'],
    ['x.example.com', 'max-age=600; includeSubDomains'],
    ['plain.example.com', undefined],
    ['plain.example.org', undefined],
  ])('tells clients of %s to come by HTTPS only', async (host, value) => {
    expect((await secure(host)).headers['strict-transport-security']).toBe(value);
    expect((await plain(host)).headers['strict-transport-security']).toBeUndefined();
  });

  it('speaks HTTP/2 with whoever asks for it', async () => {
    const protocol = async (ALPNProtocols: string[]) => {
      const socket = tls.connect({
        ...world.https,
        servername: 'shop.example.com',
        ALPNProtocols,
        rejectUnauthorized: false,
      });
      await once(socket, 'secureConnect');
      const chosen = socket.alpnProtocol;
      socket.destroy();
      return chosen;
    };
    expect(await protocol(['h2', 'http/1.1'])).toBe('h2');
    expect(await protocol(['http/1.1'])).toBe('http/1.1');
    const session = http2.connect(`https://${world.https.host}:${world.https.port}`, {
      servername: 'shop.example.com',
      rejectUnauthorized: false,
    });
    const stream = session.request({ ':authority': 'shop.example.com', ':path': '/h2' });
    const [headers] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders];
    expect(headers[':status']).toBe(200);
    session.destroy();
  });
});

describeEachLine(
  'HTTP/3',
  (line) => {
    it('is served with the same certificates and routes as HTTP/2, whose clients are told of it', async () => {
      const quic = await freeAddress();
      const world = await startIngressTraffic(
        line,
        [
          ...pool.objects,
          secretOf('fallback'),
          secretOf('shop'),
          ingress({
            name: 'shop',
            rules: [rootRule('shop.example.com')],
            tls: [{ hosts: ['shop.example.com'], secretName: 'shop' }],
          }),
        ],
        {
          defaultCertificates: [{ namespace: 'shop', name: 'fallback' }],
          extraContext: {
            httpsQuicBind: `quic4@${quic.host}:${quic.port}`,
            sslRedirectPort: quic.port,
            // Nobody speaks the PROXY protocol over UDP.
            proxyProtocolFrom: ['127.0.0.0/8'],
          },
        },
      );
      const client = await freeAddress();
      // HAProxy 3.4 is a client of HTTP/3, too, and believes nobody but who issued the certificate.
      const proxy = await startHaproxy(quicClient(), {
        files: { 'ca.pem': certificates.certificateOf('shop').cert },
        config: (baseDir) =>
          [
            globalSection(baseDir),
            '  expose-experimental-directives',
            'defaults',
            '  mode http',
            '  timeout client 5s',
            '  timeout server 5s',
            '  timeout connect 5s',
            'listen client',
            `  bind ${client.host}:${client.port}`,
            `  server s quic4@${quic.host}:${quic.port} ssl alpn h3 verify required ca-file ca.pem sni str(shop.example.com) verifyhost shop.example.com`,
            '',
          ].join('\n'),
      });
      try {
        const ask = async () =>
          answerTo(
            http.request({ ...client, headers: { host: 'shop.example.com' }, path: '/x', agent: false }),
          );
        const answer = await ask();
        expect(answer.status).toBe(200);
        expect(JSON.parse(answer.body)).toMatchObject({
          server: 'root',
          url: '/x',
          headers: { 'x-forwarded-proto': 'https' },
        });
        expect(answer.headers['alt-svc']).toBe(`h3=":${quic.port}"; ma=86400`);
      } finally {
        await proxy.stop();
        await world.stop();
      }
    });
  },
  (line) => quicClients.length > 0 && (line === '3.2' || line === '3.4'),
);

describeEachLine(
  'OCSP stapling',
  (line) => {
    it('asks the authorities of certificates from the start, and of those that come later', async () => {
      // Nothing to staple comes of it: who asks, and for how many certificates, is seen here.
      const asked = new Set<string>();
      const responder = http.createServer((request, response) => {
        asked.add(request.url ?? '');
        response.writeHead(500).end();
      });
      const place = await freeAddress();
      responder.listen(place.port, place.host);
      await once(responder, 'listening');
      const authority = await issueCertificate({ names: ['authority'], isAuthority: true });
      const issue = async (name: string) => {
        const access = new x509.AuthorityInfoAccessExtension({
          ocsp: `http://${place.host}:${place.port}/${name}`,
        });
        const names = [`${name}.example.org`];
        const { cert, key } = await issueCertificate({ names, issuer: authority, extensions: [access] });
        return [
          secret({ name, data: { 'tls.crt': cert + authority.cert, 'tls.key': key } }),
          ingress({ name, rules: names.map(rootRule), tls: [{ hosts: names, secretName: name }] }),
        ];
      };
      const world = await startIngressTraffic(
        line,
        [...pool.objects, secretOf('fallback'), ...(await issue('early'))],
        {
          defaultCertificates: [{ namespace: 'shop', name: 'fallback' }],
          extraContext: { tls: { ocspUpdate: true } },
        },
      );
      try {
        const asksFor = (name: string) =>
          eventually(`the responder is asked for ${name}`, () =>
            [...asked].some((url) => url.startsWith(`/${name}`)) ? true : undefined,
          );
        await asksFor('early');
        world.put(...(await issue('late')));
        expect(await world.changeFrom(world.started)).toContain('crtlist_add');
        await asksFor('late');
      } finally {
        await world.stop();
        responder.close();
      }
    });
  },
  (line) => line !== '2.6',
);
function quicClient(): HaproxyLine {
  const [found] = quicClients;
  if (found === undefined) throw new Error('no HAProxy 3.4');
  return found;
}
