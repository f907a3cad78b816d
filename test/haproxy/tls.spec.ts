import { once } from 'node:events';
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import tls from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundleFile } from '../fixtures/ingress-renderer.ts';
import {
  type CertificateOptions,
  type IssuedCertificate,
  issueCertificate,
} from '../fixtures/certificates.ts';
import { describeEachLine, type HaproxyLine, haproxyLines } from '../fixtures/haproxy-lines.ts';
import { x509 } from '../../src/certificates/x509.ts';
import { eventually, freeAddress, globalSection, startHaproxy } from '../fixtures/haproxy-process.ts';
import {
  type EchoPool,
  type IngressTraffic,
  startEchoPool,
  startIngressTraffic,
} from '../fixtures/ingress-traffic.ts';
import { ingress, secret } from '../fixtures/kube-objects.ts';

/** The lines that can be clients of HTTP/3. */
const quicClients = haproxyLines().found.filter(({ line }) => line === '3.4');

/** One certificate for each name, made once. */
const sketches = {
  fallback: { names: ['default.example', 'shop.example.com', 'named.example.com'] },
  shop: { names: ['shop.example.com'] },
  wild: { names: ['*.example.com'] },
  pairRsa: { names: ['pair.example.org'], keys: 'rsa' },
  pairRsaAgain: { names: ['pair.example.org'], keys: 'rsa' },
  pairEcdsaAgain: { names: ['pair.example.org'], keys: 'ecdsa' },
  pairEcdsa: { names: ['pair.example.org'], keys: 'ecdsa' },
  older: { names: ['same.example.org'] },
  newer: { names: ['same.example.org'] },
  shopAgain: { names: ['shop.example.com'], keys: 'rsa' },
  fallbackAgain: { names: ['other.example'], keys: 'rsa' },
  own: { names: ['own.example.org', '*.own.example.org'] },
} as const satisfies Readonly<Record<string, CertificateOptions>>;
type Name = keyof typeof sketches;

const certificates = new Map<Name, IssuedCertificate>();
const certificateOf = (name: Name): IssuedCertificate => {
  const found = certificates.get(name);
  if (found === undefined) throw new Error(`no certificate ${name}`);
  return found;
};
const secretOf = (name: Name, as: string = name.toLowerCase()) =>
  secret({ name: as, data: { 'tls.crt': certificateOf(name).cert, 'tls.key': certificateOf(name).key } });

let pool: EchoPool;
beforeAll(async () => {
  pool = await startEchoPool('root');
  const names = Object.keys(sketches) as Name[];
  for (const name of names) certificates.set(name, await issueCertificate(sketches[name]));
});
afterAll(() => pool.stop());

const route = (host?: string) => ({
  ...(host === undefined ? {} : { host }),
  paths: [{ path: '/', service: 'root' }],
});

/** Whose certificate a client is shown, or the error. */
async function shownBy(
  { https }: Pick<IngressTraffic, 'https'>,
  servername: string | undefined,
  options: tls.ConnectionOptions = {},
): Promise<string> {
  const socket = tls.connect({
    ...https,
    ...(servername === undefined ? {} : { servername }),
    rejectUnauthorized: false,
    ...options,
  });
  try {
    await once(socket, 'secureConnect');
    const serial = socket.getPeerX509Certificate()?.serialNumber;
    return [...certificates].find(([, { serialNumber }]) => serialNumber === serial)?.[0] ?? 'unknown';
  } catch (error) {
    return String((error as { code?: string }).code);
  } finally {
    socket.destroy();
  }
}

describeEachLine('certificates of hosts', (line) => {
  let world: IngressTraffic;

  const shown = (servername: string | undefined, options?: tls.ConnectionOptions) =>
    shownBy(world, servername, options);

  beforeAll(async () => {
    world = await startIngressTraffic(
      line,
      [
        ...pool.objects,
        ...(['fallback', 'shop', 'wild', 'older', 'newer', 'own'] as const).map((name) => secretOf(name)),
        secretOf('pairRsa', 'pair-rsa'),
        secretOf('pairEcdsa', 'pair-ecdsa'),
        ingress({
          name: 'shop',
          rules: [route('shop.example.com'), route('plain.example.org')],
          tls: [{ hosts: ['shop.example.com'], secretName: 'shop' }],
        }),
        ingress({
          name: 'wild',
          rules: [route('*.example.com')],
          tls: [{ hosts: ['*.example.com'], secretName: 'wild' }],
        }),
        ingress({
          name: 'pair',
          rules: [route('pair.example.org')],
          tls: [
            { hosts: ['pair.example.org'], secretName: 'pair-rsa' },
            { hosts: ['pair.example.org'], secretName: 'pair-ecdsa' },
          ],
        }),
        ingress({
          name: 'b-older',
          created: '2026-01-01T00:00:00Z',
          tls: [{ hosts: ['same.example.org'], secretName: 'older' }],
          rules: [route('same.example.org')],
        }),
        ingress({
          name: 'a-newer',
          created: '2026-01-02T00:00:00Z',
          tls: [{ hosts: ['same.example.org'], secretName: 'newer' }],
          rules: [route('same.example.org')],
        }),
        ingress({ name: 'any', rules: [route()], tls: [{ secretName: 'own' }] }),
      ],
      { defaultCertificates: [{ namespace: 'shop', name: 'fallback' }] },
    );
  });
  afterAll(() => world.stop());

  it.each([
    ['the host that names it', 'shop.example.com', 'shop'],
    ['the host in capitals', 'SHOP.example.COM', 'shop'],
    ['a host below a wildcard', 'www.example.com', 'wild'],
    ['not two labels below a wildcard', 'a.b.example.com', 'fallback'],
    ['not the domain of the wildcard', 'example.com', 'fallback'],
    ['a host with a route and no certificate', 'plain.example.org', 'fallback'],
    ['no host', undefined, 'fallback'],
    ['no name of the default certificate', 'named.example.com', 'wild'],
    ['the older of two objects', 'same.example.org', 'older'],
    ['a host of the certificate, without hosts in the object', 'own.example.org', 'own'],
    ['a wildcard of the certificate, without hosts in the object', 'x.own.example.org', 'own'],
  ])('%s', async (_title, host, certificate) => {
    expect(await shown(host)).toBe(certificate);
  });

  it('the one that the client understands, of two kinds', async () => {
    const servername = 'pair.example.org';
    const onlyRsa = { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' } as const;
    const onlyEcdsa = { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' } as const;
    expect(await shown(servername, onlyRsa)).toBe('pairRsa');
    expect(await shown(servername, onlyEcdsa)).toBe('pairEcdsa');
    expect(await shown(servername)).toBe('pairEcdsa');
  });

  it('nothing that is older than TLS 1.2', async () => {
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' } as const;
    expect(await shown('shop.example.com', old)).toMatch(/^ERR_SSL|ECONNRESET/);
  });

  it('is listed once for each Secret', () => {
    expect(bundleFile(world.started, 'ssl/certificates.txt').split('\n')).toEqual([
      'ssl/default-1.pem !*',
      'ssl/shop_older.pem same.example.org',
      'ssl/shop_own.pem *.own.example.org own.example.org',
      'ssl/shop_pair-ecdsa.pem pair.example.org',
      'ssl/shop_pair-rsa.pem pair.example.org',
      'ssl/shop_shop.pem shop.example.com',
      'ssl/shop_wild.pem *.example.com',
      '',
    ]);
  });
});

describeEachLine('certificates that change', (line) => {
  let world: IngressTraffic;
  const one = (...hosts: string[]) =>
    ingress({ name: 'one', rules: hosts.map(route), tls: [{ hosts, secretName: 'shop' }] });
  const another = ingress({
    name: 'another',
    rules: [route('same.example.org')],
    tls: [{ hosts: ['same.example.org'], secretName: 'older' }],
  });
  const served = (host: string) => shownBy(world, host);

  beforeAll(async () => {
    world = await startIngressTraffic(
      line,
      [...pool.objects, secretOf('fallback'), secretOf('wild'), secretOf('shop'), one('shop.example.com')],
      {
        defaultCertificates: [
          { namespace: 'shop', name: 'fallback' },
          { namespace: 'shop', name: 'wild' },
        ],
      },
    );
  });
  afterAll(() => world.stop());

  it('are exchanged in the running process, those of hosts and the default one', async () => {
    const pid = await world.haproxy.workerPid();
    expect([await served('shop.example.com'), await served('nobody.example')]).toEqual(['shop', 'fallback']);
    world.put(secretOf('shopAgain', 'shop'));
    expect(await world.changeFrom(world.started)).toEqual(['cert_set']);
    expect(await served('shop.example.com')).toBe('shopAgain');

    const second = world.bundle();
    world.put(secretOf('fallbackAgain', 'fallback'));
    expect(await world.changeFrom(second)).toEqual(['cert_set']);
    expect([await served('shop.example.com'), await served('nobody.example')]).toEqual([
      'shopAgain',
      'fallbackAgain',
    ]);
    expect(await world.haproxy.workerPid()).toBe(pid);
  });

  it('come with their host and go with it', async () => {
    const before = world.bundle();
    world.put(secretOf('older'), another);
    expect(await world.changeFrom(before)).toEqual(['cert_new', 'crtlist_add', 'map_add', 'map_add']);
    expect(await served('same.example.org')).toBe('older');

    const second = world.bundle();
    world.remove(another);
    expect(await world.changeFrom(second)).toEqual(['map_del', 'map_del', 'crtlist_del']);
    expect(await served('same.example.org')).toBe('fallbackAgain');
  });

  it('are for more hosts and for fewer', async () => {
    const before = world.bundle();
    world.put(one('shop.example.com', 'second.example.com'));
    expect(await world.changeFrom(before)).toEqual(['crtlist_add', 'map_add', 'map_add', 'crtlist_del']);
    expect(await served('second.example.com')).toBe('shopAgain');
    const second = world.bundle();
    world.put(one('second.example.com'));
    await world.changeFrom(second);
    expect([await served('second.example.com'), await served('shop.example.com')]).toEqual([
      'shopAgain',
      'fallbackAgain',
    ]);
  });

  it('come, change and go beside one with another type of key', async () => {
    const pair = (...secrets: string[]) =>
      ingress({
        name: 'pair',
        rules: [route('pair.example.org')],
        tls: secrets.map((secretName) => ({ hosts: ['pair.example.org'], secretName })),
      });
    const rsaOnly = (host: string) =>
      shownBy(world, host, { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' });
    const steps = [
      { objects: [secretOf('pairRsa', 'pair-z'), pair('pair-z')], ecdsa: 'pairRsa', rsa: 'pairRsa' },
      {
        objects: [secretOf('pairEcdsa', 'pair-a'), pair('pair-z', 'pair-a')],
        ecdsa: 'pairEcdsa',
        rsa: 'pairRsa',
      },
      { objects: [secretOf('pairRsaAgain', 'pair-z')], ecdsa: 'pairEcdsa', rsa: 'pairRsaAgain' },
      { objects: [secretOf('pairEcdsaAgain', 'pair-a')], ecdsa: 'pairEcdsaAgain', rsa: 'pairRsaAgain' },
      { objects: [pair('pair-z')], ecdsa: 'pairRsaAgain', rsa: 'pairRsaAgain' },
    ];
    for (const { objects, ecdsa, rsa } of steps) {
      const before = world.bundle();
      world.put(...objects);
      await world.changeFrom(before);
      expect([await served('pair.example.org'), await rsaOnly('pair.example.org')]).toEqual([ecdsa, rsa]);
    }
  });
});

describeEachLine('certificates as they came to grief elsewhere', (line) => {
  const tlsSecret = (name: string, crt: string, key: string) =>
    secret({ name, data: { 'tls.crt': crt, 'tls.key': key } });
  const using = (name: string) => {
    const hosts = [`${name.replaceAll('.', '-')}.example.org`];
    return ingress({ name, rules: hosts.map(route), tls: [{ hosts, secretName: name }] });
  };
  const start = (...objects: Parameters<typeof startIngressTraffic>[1]) =>
    startIngressTraffic(line, [...pool.objects, secretOf('fallback'), ...objects], {
      defaultCertificates: [{ namespace: 'shop', name: 'fallback' }],
    });

  it('random bytes, nothing, and half of a pair harm nobody at a cold start', async () => {
    const { cert, key } = certificateOf('shop');
    const world = await start(
      tlsSecret('random', '\u0001\u0002\u00ff', '\u0003'),
      tlsSecret('empty', '', ''),
      secret({ name: 'no-key', data: { 'tls.crt': cert } }),
      secret({ name: 'no-crt', data: { 'tls.key': key } }),
      tlsSecret('good', cert, key),
      ...['random', 'empty', 'no-key', 'no-crt', 'missing', 'good'].map(using),
    );
    try {
      expect(await shownBy(world, 'good.example.org')).toBe('shop');
      for (const name of ['random', 'empty', 'no-key', 'no-crt', 'missing']) {
        expect(await shownBy(world, `${name}.example.org`)).toBe('fallback');
        expect(await world.outcome({ host: `${name}.example.org` })).toBe('root');
      }
    } finally {
      await world.stop();
    }
  });

  it('blank lines in a renewed one, and dots in the name of its Secret, are no hindrance', async () => {
    const { cert, key } = certificateOf('shop');
    const renewed = certificateOf('shopAgain');
    const loosely = (pem: string) => `\r\n\n${pem.replaceAll('\n', '\r\n\n')}\n\n`;
    const world = await start(tlsSecret('a.b.c', cert, key), using('a.b.c'));
    try {
      expect(await shownBy(world, 'a-b-c.example.org')).toBe('shop');
      world.put(tlsSecret('a.b.c', loosely(renewed.cert), loosely(renewed.key)));
      expect(await world.changeFrom(world.started)).toEqual(['cert_set']);
      expect(await shownBy(world, 'a-b-c.example.org')).toBe('shopAgain');
    } finally {
      await world.stop();
    }
  });
});

describeEachLine('HTTPS beside HTTP', (line) => {
  let world: IngressTraffic;
  const secure = (host: string, target = '/') =>
    answerTo(
      https.request({
        ...{ ...world.https, servername: host, headers: { host }, path: target },
        ...{ rejectUnauthorized: false, agent: false },
      }),
    );
  const plain = (host: string, target = '/') =>
    answerTo(http.request({ ...world.http, headers: { host }, path: target, agent: false }));

  beforeAll(async () => {
    world = await startIngressTraffic(
      line,
      [
        ...pool.objects,
        ...(['fallback', 'shop', 'wild'] as const).map((name) => secretOf(name)),
        ingress({
          name: 'shop',
          rules: [route('shop.example.com'), route('plain.example.com'), route('plain.example.org')],
          tls: [{ hosts: ['shop.example.com'], secretName: 'shop' }],
        }),
        ingress({
          name: 'wild',
          rules: [route('*.example.com')],
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
    );
  });
  afterAll(() => world.stop());

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
            rules: [route('shop.example.com')],
            tls: [{ hosts: ['shop.example.com'], secretName: 'shop' }],
          }),
        ],
        {
          defaultCertificates: [{ namespace: 'shop', name: 'fallback' }],
          extraContext: { httpsQuicBind: `quic4@${quic.host}:${quic.port}`, sslRedirectPort: quic.port },
        },
      );
      const client = await freeAddress();
      // HAProxy 3.4 is a client of HTTP/3, too, and believes nobody but who issued the certificate.
      const proxy = await startHaproxy(quicClient(), {
        files: { 'ca.pem': certificateOf('shop').cert },
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
          ingress({ name, rules: names.map(route), tls: [{ hosts: names, secretName: name }] }),
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

describeEachLine('without a default certificate', (line) => {
  it('refuses whoever names no host with a certificate, and serves the others', async () => {
    const world = await startIngressTraffic(line, [
      ...pool.objects,
      secretOf('shop'),
      ingress({
        name: 'shop',
        rules: [route('shop.example.com')],
        tls: [{ hosts: ['shop.example.com'], secretName: 'shop' }],
      }),
    ]);
    try {
      expect(await shownBy(world, 'shop.example.com')).toBe('shop');
      expect(await shownBy(world, 'other.example.com')).toMatch(/^ERR_SSL|ECONNRESET/);
    } finally {
      await world.stop();
    }
  });

  it('starts without any certificate', async () => {
    const world = await startIngressTraffic(line, []);
    try {
      expect(await world.outcome({ host: 'x' })).toBe('404');
      expect(await shownBy(world, 'x.example.com')).toMatch(/^ERR_SSL|ECONNRESET/);
    } finally {
      await world.stop();
    }
  });
});

function quicClient(): HaproxyLine {
  const [found] = quicClients;
  if (found === undefined) throw new Error('no HAProxy 3.4');
  return found;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

async function answerTo(request: http.ClientRequest): Promise<Answer> {
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: Buffer.concat(chunks).toString(),
  };
}
