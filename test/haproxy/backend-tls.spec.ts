import { once } from 'node:events';
import type http from 'node:http';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import { beforeAll, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { prefixed } from '../fixtures/prefixed.ts';
import { type IssuedCertificate, issueCertificate } from '../fixtures/certificates.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { endpointSlice, ingress, secret, service } from '../fixtures/kube-objects.ts';
import { startProxiedServer } from '../fixtures/proxied-server.ts';
import { issueRevocationList } from '../fixtures/revocation-list.ts';
import { setUp } from '../fixtures/set-up.ts';
import { startTlsEcho, type TlsEchoAnswer } from '../fixtures/tls-echo.ts';

const ours = setUp(() => issueCertificate({ names: ['ours'], isAuthority: true }));
const theirs = setUp(() => issueCertificate({ names: ['theirs'], isAuthority: true }));
const inner = setUp(() => issueCertificate({ names: ['inner.example', 'a.example.com'], issuer: ours }));
const client = setUp(() => issueCertificate({ names: ['haproxy'], issuer: ours }));
const front = setUp(() => issueCertificate({ names: ['*.example.com'] }));
let revocations: string;
beforeAll(async () => {
  revocations = await issueRevocationList(ours, [inner]);
});
const open = setUp(() => startTlsEcho('open', { certificate: inner }));
const closed = setUp(() => startTlsEcho('closed', { certificate: inner, authority: ours }));
const old = setUp(() => startTlsEcho('old', { certificate: inner, options: { maxVersion: 'TLSv1.2' } }));
const proxied = setUp(() => startProxiedServer());

/** A Service of its own with what is said of it, reached by `<name>.example.com`. */
function backend(
  name: string,
  { host, port }: { readonly host: string; readonly port: number },
  said: Readonly<Record<string, string>>,
): readonly KubeObject[] {
  const annotations = prefixed(said);
  return [
    service({ name }),
    endpointSlice({ service: name, ports: [{ port }], endpoints: [{ address: host, pod: name }] }),
    ingress({
      name,
      rules: [{ host: `${name}.example.com`, paths: [{ path: '/', service: name }] }],
      tls: [{ hosts: [`${name}.example.com`], secretName: 'front' }],
      annotations,
    }),
  ];
}

const authority = (name: string, { cert }: IssuedCertificate, more: Readonly<Record<string, string>> = {}) =>
  secret({ name, data: { 'ca.crt': cert, ...more } });
const pair = (name: string, { cert, key }: IssuedCertificate) =>
  secret({ name, data: { 'tls.crt': cert, 'tls.key': key } });

describeEachLine('TLS with servers', (line) => {
  const world = setUp(async () =>
    startIngressTraffic(line, [
      pair('front', front),
      pair('client', client),
      pair('stranger', await issueCertificate({ names: ['stranger'], issuer: theirs })),
      authority('ours', ours),
      authority('theirs', theirs),
      authority('listed', ours, { 'ca.crl': revocations }),
      secret({
        name: 'broken',
        data: { 'ca.crt': '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' },
      }),
      ...backend('plain', open, {}),
      ...backend('any', open, { 'secure-backends': 'true' }),
      ...backend('h1', open, { 'backend-protocol': 'h1-ssl' }),
      ...backend('h2', open, { 'backend-protocol': 'h2-ssl' }),
      ...backend('a', open, { 'secure-verify-ca-secret': 'ours' }),
      ...backend('b', open, { 'secure-verify-ca-secret': 'ours' }),
      ...backend('named', open, {
        'secure-verify-ca-secret': 'ours',
        'secure-verify-hostname': 'inner.example',
      }),
      ...backend('sni', open, { 'secure-verify-ca-secret': 'ours', 'secure-sni': 'inner.example' }),
      ...backend('both', open, {
        'secure-verify-ca-secret': 'ours',
        'secure-sni': 'inner.example',
        'secure-verify-hostname': 'inner.example',
      }),
      ...backend('differing', open, {
        'secure-verify-ca-secret': 'ours',
        'secure-sni': 'host',
        'secure-verify-hostname': 'inner.example',
      }),
      ...backend('renewed', closed, {
        'secure-crt-secret': 'client',
        'secure-verify-ca-secret': 'theirs',
        'secure-sni': 'inner.example',
      }),
      ...backend('of-client', open, { 'secure-backends': 'true', 'secure-sni': 'sni' }),
      ...backend('wrong', open, {
        'secure-verify-ca-secret': 'theirs',
        'secure-verify-hostname': 'inner.example',
      }),
      ...backend('wrong-name', open, {
        'secure-verify-ca-secret': 'ours',
        'secure-verify-hostname': 'x.example',
      }),
      ...backend('revoked', open, {
        'secure-verify-ca-secret': 'listed',
        'secure-verify-hostname': 'inner.example',
      }),
      ...backend('system', open, {
        'secure-verify-ca-secret': '@system-ca',
        'secure-verify-hostname': 'inner.example',
      }),
      ...backend('missing', open, { 'secure-verify-ca-secret': 'nothing' }),
      ...backend('broken', open, { 'secure-verify-ca-secret': 'broken' }),
      ...backend('malformed', open, { 'secure-verify-ca-secret': 'other/ours' }),
      ...backend('shown', closed, { 'secure-crt-secret': 'client' }),
      ...backend('not-shown', closed, { 'secure-backends': 'true' }),
      ...backend('stranger', closed, { 'secure-crt-secret': 'stranger' }),
      ...backend('no-pair', closed, { 'secure-crt-secret': 'nothing' }),
      ...backend('newest', open, { 'secure-backends': 'true', 'ssl-min-version-backend': 'TLSv1.3' }),
      ...backend('old', old, { 'secure-backends': 'true' }),
      ...backend('too-old', old, { 'secure-backends': 'true', 'ssl-min-version-backend': 'TLSv1.3' }),
      ...backend('v1', proxied, { 'proxy-protocol': 'v1' }),
      ...backend('v2', proxied, { 'proxy-protocol': 'v2' }),
      ...backend('v2-ssl', proxied, { 'proxy-protocol': 'v2-ssl' }),
      ...backend('v2-ssl-cn', proxied, { 'proxy-protocol': 'v2-ssl-cn' }),
      ...backend('no', proxied, { 'proxy-protocol': 'no' }),
    ]),
  );

  const ask = async (name: string) => {
    const { status, body } = await world.request({ host: `${name}.example.com` });
    return status === 200 ? (JSON.parse(body) as TlsEchoAnswer) : status;
  };

  it.each([
    ['any', { servername: 'any.example.com', httpVersion: '1.1' }],
    ['h1', { httpVersion: '1.1' }],
    ['h2', { httpVersion: '2.0', alpn: 'h2' }],
    ['a', { servername: 'a.example.com' }],
    ['named', { servername: 'inner.example' }],
    ['sni', { servername: 'inner.example' }],
    ['both', { servername: 'inner.example' }],
    ['newest', { protocol: 'TLSv1.3' }],
    ['old', { protocol: 'TLSv1.2' }],
    ['shown', { server: 'closed', peer: 'haproxy' }],
  ])('is spoken as is said: %s', async (name, seen) => {
    expect(await ask(name)).toMatchObject(seen);
  });

  it.each([
    ['plain', 'a server that speaks TLS is spoken to in the clear'],
    ['b', 'the host is not in the certificate'],
    ['wrong', 'another authority has issued it'],
    ['wrong-name', 'another name is asked for'],
    ['revoked', 'it is revoked'],
    ['differing', 'HAProxy would verify another name than is wanted'],
    ['renewed', 'another authority has issued it'],
    ['system', 'no authority of the system has issued it'],
    ['missing', 'there is no Secret of authorities'],
    ['broken', 'its Secret of authorities is malformed'],
    ['malformed', 'its Secret of authorities is of another namespace'],
    ['not-shown', 'it wants a certificate and is shown none'],
    ['stranger', 'it is shown one of another authority'],
    ['no-pair', 'there is no certificate to show'],
    ['too-old', 'it is too old'],
  ])('is refused with %s: %s', async (name) => {
    expect(await ask(name)).toBeOneOf([400, 502, 503]);
  });

  it('asks servers for the name that the client asked for', async () => {
    const answer = await answerTo(
      https.request({
        ...world.https,
        servername: 'of-client.example.com',
        headers: { host: 'of-client.example.com' },
        rejectUnauthorized: false,
        agent: false,
      }),
    );
    expect(JSON.parse(answer)).toMatchObject({ servername: 'of-client.example.com' });
  });

  it('tells servers of the client by the PROXY protocol', async () => {
    const seen = async (name: string) =>
      Buffer.from(
        await answerTo(
          https.request({
            ...world.https,
            servername: `${name}.example.com`,
            headers: { host: `${name}.example.com` },
            rejectUnauthorized: false,
            agent: false,
            localAddress: '127.9.8.7',
            cert: client.cert,
            key: client.key,
          }),
        ),
        'hex',
      );
    const signature = '\r\n\r\n\0\r\nQUIT\n';
    expect((await seen('v1')).toString('latin1')).toMatch(/^PROXY TCP4 127\.9\.8\.7 [\d.]+ \d+ \d+\r\nGET /);
    for (const name of ['v2', 'v2-ssl', 'v2-ssl-cn']) {
      const bytes = await seen(name);
      expect(bytes.subarray(0, 12).toString('latin1')).toBe(signature);
      expect([...bytes.subarray(16, 20)]).toEqual([127, 9, 8, 7]);
      // A record of TLS (0x20) follows the addresses where it is asked for.
      expect(bytes[28] === 0x20).toBe(name !== 'v2');
    }
    expect((await seen('no')).toString('latin1')).toMatch(/^GET /);
  });

  it('takes up renewed authorities and certificates, by a reload where HAProxy has no other way', async () => {
    const before = await world.deploy();
    const again = await issueCertificate({ names: ['haproxy-2'], issuer: ours });
    world.put(pair('client', again));
    expect(await world.changeFrom(before)).toEqual(['cert_set']);
    expect(await ask('shown')).toMatchObject({ peer: 'haproxy-2' });
    // A server without a certificate of its own is not told by HAProxy.
    const renewed = await world.deploy();
    world.put(authority('theirs', ours));
    await expect(world.changeFrom(renewed)).rejects.toThrow('a reload: CA file ssl/shop_theirs_ca.pem');
    await world.deploy();
    expect(await ask('wrong')).toMatchObject({ servername: 'inner.example' });
    expect(await ask('renewed')).toMatchObject({ servername: 'inner.example' });
    world.remove(...backend('wrong', open, {}));
    const shown = await world.deploy();
    world.put(authority('theirs', theirs));
    if (line.line === '2.6' || line.line === '3.0') {
      await expect(world.changeFrom(shown)).rejects.toThrow('a reload: CA file ssl/shop_theirs_ca.pem');
      await world.deploy();
    } else expect(await world.changeFrom(shown)).toEqual(['ca_set']);
    expect(await ask('renewed')).toBe(503);
  });

  it('of a Secret that comes and goes opens and closes the way to servers', async () => {
    world.put(
      authority('nothing', ours),
      ...backend('missing', open, { 'secure-verify-ca-secret': 'nothing', 'secure-sni': 'inner.example' }),
    );
    const before = await world.deploy();
    expect(await ask('missing')).toMatchObject({ servername: 'inner.example' });
    world.remove(authority('nothing', ours));
    expect(await world.changeFrom(before)).toContain('server_del');
    expect(await ask('missing')).toBe(503);
  });
});

async function answerTo(request: http.ClientRequest): Promise<string> {
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
