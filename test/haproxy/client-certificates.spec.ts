import { once } from 'node:events';
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import tls from 'node:tls';
import { beforeAll, expect, it } from 'vitest';
import { answerTo } from '../fixtures/answer-to.ts';
import { createCertificatePool, rootRule } from '../fixtures/certificate-pool.ts';
import { type IssuedCertificate, issueCertificate } from '../fixtures/certificates.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { issueRevocationList } from '../fixtures/revocation-list.ts';
import { type IngressTraffic, startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { ingress, type IngressOptions, secret } from '../fixtures/kube-objects.ts';
import { setUp } from '../fixtures/set-up.ts';

const pool = setUp(() => startEchoPool('root'));
const certificates = setUp(() => createCertificatePool());
const ours = setUp(() => issueCertificate({ names: ['ours'], isAuthority: true }));
// The same name: whose clients they are is not a matter of names.
const theirs = setUp(() => issueCertificate({ names: ['ours'], isAuthority: true }));
const alice = setUp(() => issueCertificate({ names: ['alice'], issuer: ours }));
const mallory = setUp(() => issueCertificate({ names: ['alice'], issuer: theirs }));
const revoked = setUp(() => issueCertificate({ names: ['revoked'], issuer: ours }));
let revocations: string;
beforeAll(async () => {
  revocations = await issueRevocationList(ours, [revoked]);
});

const say = (key: string, value: string) => ({ [`haproxy-haptic.org/${key}`]: value });
const hostOf = (name: string, annotations: Readonly<Record<string, string>>, more: IngressOptions = {}) =>
  ingress({
    name,
    rules: [rootRule(`${name}.example.com`)],
    tls: [{ hosts: [`${name}.example.com`], secretName: 'wild' }],
    annotations,
    ...more,
  });
const authority = (name: string, { cert }: IssuedCertificate, more: Readonly<Record<string, string>> = {}) =>
  secret({ name, data: { 'ca.crt': cert, ...more } });

describeEachLine('client certificates', (line) => {
  const world = setUp(() =>
    startIngressTraffic(
      line,
      [
        ...pool.objects,
        certificates.secretOf('fallback'),
        certificates.secretOf('wild'),
        authority('ours', ours),
        authority('theirs', theirs),
        authority('listed', ours, { 'ca.crl': revocations }),
        secret({ name: 'broken', data: { 'ca.crt': 'no certificate' } }),
        secret({ name: 'broken-list', data: { 'ca.crt': ours.cert, 'ca.crl': 'nothing' } }),
        hostOf('needed', { ...say('auth-tls-secret', 'ours'), ...say('auth-tls-cert-header', 'true') }),
        hostOf('asked', { ...say('auth-tls-secret', 'ours'), ...say('auth-tls-verify-client', 'optional') }),
        hostOf('other', say('auth-tls-secret', 'theirs')),
        hostOf('second', say('auth-tls-secret', 'theirs')),
        hostOf('off', { ...say('auth-tls-secret', 'ours'), ...say('auth-tls-verify-client', 'off') }),
        hostOf('listed', say('auth-tls-secret', 'listed')),
        hostOf('missing', say('auth-tls-secret', 'nothing')),
        hostOf('broken', say('auth-tls-secret', 'broken')),
        hostOf('broken-list', say('auth-tls-secret', 'broken-list')),
        hostOf('foreign', say('auth-tls-secret', 'other/ours')),
        hostOf('capped', { ...say('auth-tls-secret', 'ours'), ...say('ssl-min-version', 'TLSv1.3') }),
        hostOf('pointless', say('auth-tls-verify-client', 'on')),
        hostOf('page', {
          ...say('auth-tls-secret', 'ours'),
          ...say('auth-tls-error-page', 'https://help.example.com/?a=b&c=%20d'),
        }),
        // Nobody gives this host a certificate.
        ingress({
          name: 'bare',
          rules: [rootRule('bare.example.org')],
          annotations: say('auth-tls-secret', 'ours'),
        }),
        // Covered by a wildcard that asks, and asks nobody itself.
        hostOf('plain', {}),
        ingress({
          name: 'wild',
          rules: [rootRule('*.asking.example.com')],
          tls: [{ hosts: ['*.asking.example.com'], secretName: 'wild' }],
          annotations: say('auth-tls-secret', 'ours'),
        }),
        ingress({
          name: 'own-entry',
          rules: [rootRule('own.asking.example.com')],
          tls: [{ hosts: ['own.asking.example.com'], secretName: 'fallback' }],
        }),
      ],
      { defaultCertificates: [{ namespace: 'shop', name: 'fallback' }] },
    ),
  );

  interface Asked {
    readonly servername?: string;
    readonly as?: IssuedCertificate;
    readonly headers?: Readonly<Record<string, string>>;
    readonly options?: https.RequestOptions & Pick<tls.ConnectionOptions, 'session'>;
  }
  const ask = (host: string, { servername = host, as, headers = {}, options = {} }: Asked = {}) =>
    answerTo(
      https.request({
        ...world.https,
        servername,
        headers: { host, ...headers },
        rejectUnauthorized: false,
        agent: false,
        ...(as === undefined ? {} : { cert: as.cert, key: as.key }),
        ...options,
      }),
    );
  const statusOf = (...asked: Parameters<typeof ask>) =>
    ask(...asked).then(
      ({ status }) => status,
      (error: unknown) => String((error as { code?: string }).code),
    );
  const refusedInHandshake = /^(ERR_SSL|EPROTO|ECONNRESET|EPIPE)/;

  it('let in whom the authority vouches for, and nobody else', async () => {
    expect(await statusOf('needed.example.com', { as: alice })).toBe(200);
    expect(await statusOf('needed.example.com')).toBe(403);
    expect(await statusOf('needed.example.com', { as: mallory })).toMatch(refusedInHandshake);
    expect(await statusOf('other.example.com', { as: mallory })).toBe(200);
    expect(await statusOf('bare.example.org', { as: alice })).toBe(200);
    expect(await statusOf('bare.example.org')).toBe(403);
    expect(await statusOf('x.asking.example.com', { as: alice })).toBe(200);
    expect(await statusOf('x.asking.example.com')).toBe(403);
  });

  it('are not needed where they are optional, and are checked all the same', async () => {
    expect(await statusOf('asked.example.com')).toBe(200);
    expect(await statusOf('asked.example.com', { as: alice })).toBe(200);
    expect(await statusOf('asked.example.com', { as: mallory })).toMatch(refusedInHandshake);
    expect(await statusOf('off.example.com')).toBe(200);
    expect(await statusOf('plain.example.com')).toBe(200);
  });

  it('are refused once they are revoked', async () => {
    expect(await statusOf('listed.example.com', { as: alice })).toBe(200);
    expect(await statusOf('listed.example.com', { as: revoked })).toMatch(refusedInHandshake);
    expect(await statusOf('needed.example.com', { as: revoked })).toBe(200);
  });

  it.each(['missing', 'broken', 'broken-list', 'foreign', 'pointless'])(
    'of authorities that are %s let nobody in',
    async (name) => {
      const host = `${name}.example.com`;
      for (const asked of [{}, { as: alice }, { as: mallory }])
        expect(await statusOf(host, asked)).toSatisfy((status) => status === 403 || status === 503);
      expect(await world.outcome({ target: '/', host })).toMatch(/^(308|503)$/);
    },
  );

  it('of a connection for one host are none for another', async () => {
    const [needed, other] = ['needed.example.com', 'other.example.com'];
    // By a forged Host over a connection that nobody was asked on, or that other authorities vouched for.
    expect(await statusOf(needed, { servername: 'plain.example.com' })).toBe(421);
    expect(await statusOf(needed, { servername: other, as: mallory })).toBe(421);
    expect(await statusOf(needed, { servername: '', as: alice })).toBe(421);
    expect(await statusOf(needed, { servername: 'own.asking.example.com', as: alice })).toBe(421);
    expect(await statusOf('asked.example.com', { servername: 'plain.example.com' })).toBe(421);
    expect(await statusOf('NEEDED.example.com.:443', { servername: 'plain.example.com' })).toBe(421);
    // Of the same authority they are, as of any below a wildcard; and whoever asks nobody serves everybody.
    expect(await statusOf(needed, { servername: 'asked.example.com', as: alice })).toBe(200);
    expect(await statusOf(needed, { servername: 'asked.example.com' })).toBe(403);
    expect(await statusOf(needed, { servername: 'y.asking.example.com', as: alice })).toBe(200);
    expect(await statusOf('plain.example.com', { servername: needed, as: alice })).toBe(200);
  });

  it('are looked at for each of several hosts on one connection of HTTP/2', async () => {
    const session = http2.connect(`https://${world.https.host}:${world.https.port}`, {
      servername: 'plain.example.com',
      rejectUnauthorized: false,
    });
    const status = async (authority: string) => {
      const stream = session.request({ ':authority': authority, ':path': '/' });
      const [headers] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders];
      return headers[':status'];
    };
    expect(await status('plain.example.com')).toBe(200);
    expect(await status('needed.example.com')).toBe(421);
    expect(await status('plain.example.com')).toBe(200);
    session.destroy();
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'of a session are not carried over to another host (%s)',
    async (version) => {
      const common = { ...world.https, rejectUnauthorized: false, minVersion: version } as const;
      const first = tls.connect({
        ...common,
        servername: 'second.example.com',
        cert: mallory.cert,
        key: mallory.key,
        minVersion: 'TLSv1.2',
        maxVersion: version,
      });
      const sessions: Buffer[] = [];
      first.on('session', (session: Buffer) => sessions.push(session));
      await once(first, 'secureConnect');
      first.write('GET / HTTP/1.1\r\nhost: second.example.com\r\nconnection: close\r\n\r\n');
      const [head] = (await once(first, 'data')) as [Buffer];
      expect(head.toString()).toContain(' 200 ');
      // HAProxy forgets the session of a connection that does not end in good order.
      first.resume();
      await once(first, 'close');
      // Clients of good will do not use it for another host. The name in it is as long as the other one.
      const taken = sessions
        .at(-1)
        ?.toString('latin1')
        .replaceAll('second.example.com', 'needed.example.com');
      const session = Buffer.from(taken ?? '', 'latin1');
      expect(session.includes('needed.example.com')).toBe(true);
      expect(
        await statusOf('needed.example.com', {
          options: { session, minVersion: 'TLSv1.2', maxVersion: version },
        }),
      ).toSatisfy((status) => status === 421 || status === 403);
    },
  );

  it('are asked for by TLS 1.2, and whoever wants no less than TLS 1.3 there is told', async () => {
    const versions = { as: alice, options: { maxVersion: 'TLSv1.2' } } as const;
    expect(await statusOf('capped.example.com', versions)).toBe(200);
    const told = (bundle: IngressTraffic['started']) =>
      bundle.problems.flatMap(({ reason, severity, owner: { name }, field }) =>
        reason === 'VersionCapped' ? [`${severity} ${name} ${field}`] : [],
      );
    expect(told(world.started)).toEqual([
      'warning capped metadata.annotations["haproxy-haptic.org/ssl-min-version"]',
    ]);
    const newest = await startIngressTraffic(
      line,
      [
        ...[...pool.objects, certificates.secretOf('wild'), authority('ours', ours)],
        hostOf('capped', { ...say('auth-tls-secret', 'ours'), ...say('ssl-min-version', 'TLSv1.3') }),
      ],
      { extraContext: { tls: { clientCertificateMaxVersion: 'TLSv1.3' } } },
    );
    try {
      expect(told(newest.started)).toEqual([]);
      const socket = tls.connect({
        ...{ ...newest.https, servername: 'capped.example.com', rejectUnauthorized: false },
        ...{ cert: alice.cert, key: alice.key },
      });
      await once(socket, 'secureConnect');
      expect(socket.getProtocol()).toBe('TLSv1.3');
      socket.destroy();
    } finally {
      await newest.stop();
    }
  });

  it('need HTTPS', async () => {
    const plain = await answerTo(
      http.request({ ...world.http, headers: { host: 'needed.example.com' }, path: '/a?b', agent: false }),
    );
    expect([plain.status, plain.headers['location']]).toEqual([308, 'https://needed.example.com/a?b']);
    expect(await world.outcome({ target: '/.well-known/acme-challenge/x', host: 'needed.example.com' })).toBe(
      '308',
    );
    expect(await world.outcome({ target: '/', host: 'asked.example.com' })).toBe('root');
  });

  it('are told to servers, who never hear what clients say of them', async () => {
    const forged = {
      'x-ssl-client-dn': '/CN=root',
      'X-SSL-Client-Verify': '0',
      x_ssl_client_cert: 'forged',
      'x-ssl_client_cert': 'forged',
      'x_ssl-client-cert': 'forged',
      'x.ssl.client.cert': 'forged',
    };
    const heard = async (...[host, asked = {}]: Parameters<typeof ask>) => {
      const { body } = await ask(host, { ...asked, headers: forged });
      const { headers } = JSON.parse(body) as { readonly headers: Readonly<Record<string, string>> };
      return Object.fromEntries(Object.entries(headers).filter(([name]) => /^x.ssl/i.test(name)));
    };
    const told = {
      'x-ssl-client-cn': 'alice',
      'x-ssl-client-dn': 'CN=alice',
      'x-ssl-client-sha1': await fingerprint(alice, 'SHA-1'),
      'x-ssl-client-sha256': await fingerprint(alice, 'SHA-256'),
    };
    expect(await heard('asked.example.com', { as: alice })).toEqual(told);
    expect(await heard('needed.example.com', { as: alice })).toEqual({
      ...told,
      'x-ssl-client-cert': Buffer.from(alice.certificate.rawData).toString('base64'),
    });
    expect(await heard('asked.example.com')).toEqual({});
    expect(await heard('plain.example.com')).toEqual({});
    const plain = await world.echo({
      target: '/',
      host: 'plain.example.com',
      headers: Object.entries(forged).map(([name, value]) => `${name}: ${value}`),
    });
    expect(Object.keys(plain.headers).filter((name) => /^x.ssl/i.test(name))).toEqual([]);
  });

  it('send those without one to a page that tells them', async () => {
    const { status, headers } = await ask('page.example.com');
    expect([status, headers['location']]).toEqual([302, 'https://help.example.com/?a=b&c=%20d']);
    expect(await statusOf('page.example.com', { as: alice })).toBe(200);
  });
});

async function fingerprint({ certificate }: IssuedCertificate, algorithm: string): Promise<string> {
  const digest = await crypto.subtle.digest(algorithm, certificate.rawData);
  return Buffer.from(digest).toString('hex').toUpperCase();
}
