import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { expect, it } from 'vitest';
import { annotatedIngress } from '../fixtures/annotated-ingress.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { secret } from '../fixtures/kube-objects.ts';
import { setUp } from '../fixtures/set-up.ts';

const pool = setUp(() => startEchoPool('web'));

const rsa = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const [first, second, strange] = [rsa(), rsa(), rsa()];
const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const larger = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const pem = ({ publicKey }: { readonly publicKey: KeyObject }) =>
  publicKey.export({ type: 'spki', format: 'pem' }).toString();
const keys = (name: string, data: Readonly<Record<string, string>>) => secret({ name, type: 'Opaque', data });

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const now = () => Math.floor(Date.now() / 1000);
const claims = () => ({ iss: 'https://login/', aud: 'shop', sub: 'ann', exp: now() + 600 });
function token(
  payload: Readonly<Record<string, unknown>>,
  { privateKey }: { readonly privateKey: KeyObject } = first,
  header: Readonly<Record<string, unknown>> = { alg: 'RS256', typ: 'JWT' },
  hash = 'sha256',
): string {
  const signed = `${part(header)}.${part(payload)}`;
  const signature = sign(hash, Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

describeEachLine('signed tokens', (line) => {
  const world = setUp(() =>
    startIngressTraffic(line, [
      ...pool.objects,
      keys('keys', {
        'one.pem': pem(first),
        'two.pem': pem(second),
        'curve.pem': pem(curve),
        junk: 'no key',
      }),
      keys('set', {
        'jwks.json': JSON.stringify({
          keys: [{ ...curve.publicKey.export({ format: 'jwk' }), use: 'sig', kid: 'x' }],
        }),
      }),
      keys('larger', { 'key.pem': pem(larger) }),
      keys('malformed', { 'key.pem': 'nothing' }),
      keys('private', { 'key.pem': first.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }),
      annotatedIngress('plain.example.com', { 'jwt-secret': 'keys' }),
      annotatedIngress('full.example.com', {
        'jwt-secret': 'keys',
        'jwt-issuer': 'https://login/',
        'jwt-audience': 'shop, shop-admin',
        'jwt-claims-headers': 'sub:X-User, groups:X-Groups, count:X-Count',
      }),
      annotatedIngress('curve.example.com', { 'jwt-secret': 'set', 'jwt-algorithm': 'ES256' }),
      annotatedIngress('larger.example.com', { 'jwt-secret': 'larger', 'jwt-algorithm': 'ES384' }),
      annotatedIngress('missing.example.com', { 'jwt-secret': 'nothing' }),
      annotatedIngress('malformed.example.com', { 'jwt-secret': 'malformed' }),
      annotatedIngress('private.example.com', { 'jwt-secret': 'private' }),
      annotatedIngress('shared.example.com', { 'jwt-secret': 'keys', 'jwt-algorithm': 'HS256' }),
      annotatedIngress('open.example.com', {}),
    ]),
  );
  const ask = (host: string, value?: string, more: readonly string[] = []) =>
    world.request({
      host: `${host}.example.com`,
      headers: [...(value === undefined ? [] : [`Authorization: Bearer ${value}`]), ...more],
    });
  const status = async (...args: Parameters<typeof ask>) => (await ask(...args)).status;

  it('are believed by each of the keys', async () => {
    expect(await status('plain', token(claims()))).toBe(200);
    expect(await status('plain', token(claims(), second))).toBe(200);
    expect(await status('curve', token(claims(), curve, { alg: 'ES256' }))).toBe(200);
    expect(await status('larger', token(claims(), larger, { alg: 'ES384' }, 'sha384'))).toBe(200);
  });

  it('are not believed from anybody else', async () => {
    const [header = '', , signature = ''] = token(claims()).split('.');
    const unsigned = `${part({ alg: 'none' })}.${part(claims())}.`;
    const signed = `${part({ alg: 'HS256' })}.${part(claims())}`;
    const shared = createHmac('sha256', pem(first)).update(signed).digest('base64url');
    for (const value of [
      token(claims(), strange),
      `${header}.${part({ ...claims(), sub: 'root' })}.${signature}`,
      unsigned,
      unsigned.slice(0, -1),
      `${signed}.${shared}`,
      token(claims(), first, { alg: 'none' }),
      token(claims(), first, { alg: 'HS256' }),
      token(claims(), first, { alg: 'rs256' }),
      token(claims(), first, {}),
      token(claims(), curve, { alg: 'ES256' }),
      token(claims(), first, { alg: 'RS512' }, 'sha512'),
      'a.b.c',
      '..',
      'x'.repeat(4_000),
    ])
      expect([value, await status('plain', value)]).toEqual([value, 401]);
    expect(await status('curve', token(claims()))).toBe(401);
  });

  it('are told of where they are needed', async () => {
    expect((await ask('plain')).head).toMatch(/\r\nwww-authenticate: Bearer(\r\n|$)/i);
    expect((await ask('plain', 'a.b.c')).head).toMatch(/\r\nwww-authenticate: Bearer error="invalid_token"/i);
    const basic = await ask('plain', undefined, [`Authorization: Basic ${token(claims())}`]);
    expect(basic.status).toBe(401);
    expect(await status('open')).toBe(200);
  });

  it.each([
    ['has expired', () => ({ exp: now() - 1 }), 401],
    ['never expires', () => ({ exp: undefined }), 401],
    ['expires at a time in words', () => ({ exp: 'never' }), 401],
    ['begins later', () => ({ nbf: now() + 120 }), 401],
    ['begins in a moment, by another clock', () => ({ nbf: now() + 20 }), 200],
    ['has begun', () => ({ nbf: now() - 20 }), 200],
  ] as const)('that %s', async (_name, more, expected) => {
    expect(await status('plain', token({ ...claims(), ...more() }))).toBe(expected);
  });

  it.each([
    [{}, 200],
    [{ iss: 'https://login/x' }, 401],
    [{ iss: undefined }, 401],
    [{ iss: ['https://login/'] }, 401],
    [{ aud: 'shop-admin' }, 200],
    [{ aud: ['a', 'b', 'shop'] }, 200],
    [{ aud: ['a', 'b'] }, 401],
    [{ aud: 'shop-' }, 401],
    [{ aud: undefined }, 401],
    [{ aud: [] }, 401],
    [{ aud: '["shop"]' }, 401],
    [{ aud: 'shop@shop_full' }, 401],
  ] as const)('with the claims %j', async (more, expected) => {
    expect(await status('full', token({ ...claims(), ...more }))).toBe(expected);
    expect(await status('plain', token({ ...claims(), ...more }))).toBe(200);
  });

  it('give claims to the server, and nothing that a client makes up', async () => {
    const headersFor = async (more: Readonly<Record<string, unknown>>) => {
      const lies = ['X-User: root', 'X_User: root', 'x-groups: root', 'X_GROUPS: root', 'X-Count: 9'];
      const { body } = await ask('full', token({ ...claims(), ...more }), lies);
      return (JSON.parse(body) as { headers: Record<string, string> }).headers;
    };
    const plain = await headersFor({ count: 3 });
    expect(plain).toMatchObject({ 'x-user': 'ann', 'x-count': '3' });
    for (const name of ['x_user', 'x-groups', 'x_groups']) expect(plain).not.toHaveProperty(name);
    for (const sub of ['ann\r\nX-Admin: yes', 'ann\nX-Admin: yes', 'ann\u0000', '']) {
      const sent = await headersFor({ sub });
      expect(sent).not.toHaveProperty('x-admin');
      expect(sent).not.toHaveProperty('x-user');
      expect(sent).not.toHaveProperty('x_user');
    }
  });

  it.each(['missing', 'malformed', 'private'])('are believed by nobody where keys are %s', async (host) => {
    expect(await status(host, token(claims()))).toBe(401);
  });

  it('are not checked by shared secrets', async () => {
    expect(await status('shared', token(claims()))).toBe(503);
  });

  it('count by new keys from the reload on that they take', async () => {
    world.put(keys('keys', { 'three.pem': pem(strange) }));
    await world.deploy();
    expect(await status('plain', token(claims(), strange))).toBe(200);
    expect(await status('plain', token(claims()))).toBe(401);
  });
});
