import { expect, it } from 'vitest';
import { hidePasswords } from '../../src/sinks/publish/hide-passwords.ts';
import { annotatedIngress } from '../fixtures/annotated-ingress.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { bundleFile } from '../fixtures/ingress-renderer.ts';
import { startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { secret } from '../fixtures/kube-objects.ts';
import { setUp } from '../fixtures/set-up.ts';

const pool = setUp(() => startEchoPool('web'));

/** Each of the word "secret", as openssl makes them. */
const hashes = {
  sha512:
    '$6$abcdefgh$ltjgWl6579NluT/Vi1nwEvcil.G5Nbc4NiXZaNGStk8PSwGfQv72N2CKPPrVACtLtip/cZ/1GM/O6IND4WQhG.',
  sha256: '$5$abcdefgh$gruCpC7VkOTspMQTTSAR8mtlO9Upms.fwqE5y16JVM.',
  md5: '$1$abcdefgh$cHJi5PXp/ki/ktXzqlk6I1',
  apr1: '$apr1$abcdefgh$h9FWgUz3n9YxylKLlR5SQ/',
  bcrypt: '$2y$10$abcdefghijklmnopqrstuuQ8F0gNvnOBzlOnI8cDsgkNJXmLwSEWm',
};
const plain = `p"a's $\{HOME} %[src] #\\ word:`;
const users = (name: string, data: Readonly<Record<string, string>>) =>
  secret({ name, type: 'Opaque', data });

describeEachLine('passwords', (line) => {
  const world = setUp(() =>
    startIngressTraffic(line, [
      ...pool.objects,
      users('users', {
        auth: [
          '# of the shop',
          `ann:${hashes.sha512}`,
          `ben:${hashes.sha256}`,
          `cat:${hashes.md5}`,
          `dan::${plain}`,
          `eve:${hashes.bcrypt}`,
          `fay:${hashes.apr1}`,
          '',
        ].join('\n'),
      }),
      users('fields', { gus: hashes.sha512, hal: `:${plain}` }),
      users('hopeless', { auth: `eve:${hashes.bcrypt}\n` }),
      annotatedIngress('shop.example.com', { 'auth-secret': 'users', 'auth-realm': 'Staff & friends only' }),
      annotatedIngress('twin.example.com', { 'auth-secret': 'users', 'cors-enable': 'true' }),
      annotatedIngress('fields.example.com', { 'auth-secret': 'fields' }),
      annotatedIngress('missing.example.com', { 'auth-secret': 'nothing' }),
      annotatedIngress('hopeless.example.com', { 'auth-secret': 'hopeless' }),
      annotatedIngress('foreign.example.com', { 'auth-secret': 'other/users' }),
      annotatedIngress('open.example.com', {}),
    ]),
  );
  const ask = (host: string, credentials?: string, more: readonly string[] = []) => {
    const headers = [
      ...(credentials === undefined
        ? []
        : [`Authorization: Basic ${Buffer.from(credentials).toString('base64')}`]),
      ...more,
    ];
    return world.request({ host: `${host}.example.com`, headers });
  };
  const status = async (...args: Parameters<typeof ask>) => (await ask(...args)).status;

  it.each(['ann:secret', 'ben:secret', 'cat:secret', `dan:${plain}`])('let %s in', async (credentials) => {
    expect(await status('shop', credentials)).toBe(200);
    expect(await status('twin', credentials)).toBe(200);
  });

  it.each([
    undefined,
    '',
    'ann',
    'ann:',
    'ann:Secret',
    `ann:${hashes.sha512}`,
    'dan:secret',
    'eve:secret',
    'fay:secret',
    'gus:secret',
    'zoe:secret',
    ':secret',
    ':',
  ])('keep %s out', async (credentials) => {
    expect(await status('shop', credentials)).toBe(401);
  });

  it('are told once, so that the server sees whom HAProxy has let in', async () => {
    const again = `Authorization: Basic ${Buffer.from('root:x').toString('base64')}`;
    expect(await status('shop', 'ann:secret', [again])).toBe(400);
    expect(await status('open', 'ann:secret', [again])).toBe(200);
  });

  it('may be in fields of their own', async () => {
    expect(await status('fields', 'gus:secret')).toBe(200);
    expect(await status('fields', `hal:${plain}`)).toBe(200);
    expect(await status('fields', 'ann:secret')).toBe(401);
  });

  it('say what they are for', async () => {
    expect((await ask('shop')).head).toMatch(
      /\r\nwww-authenticate: Basic realm="Staff & friends only", charset="UTF-8"(\r\n|$)/,
    );
    expect((await ask('fields')).head).toMatch(/\r\nwww-authenticate: Basic realm="Restricted", /);
  });

  it.each(['missing', 'hopeless'])('that are %s let nobody in', async (host) => {
    for (const credentials of [undefined, 'ann:secret', 'eve:secret', ':'])
      expect(await status(host, credentials)).toBe(401);
    expect(await status('open')).toBe(200);
  });

  it('are those of the own namespace', async () => {
    expect(await status('foreign', 'ann:secret')).toBe(503);
  });

  it('are not asked for in a preflight, and asked for in what follows', async () => {
    const origin = 'Origin: https://app.example.com';
    const preflight = await world.request({
      host: 'twin.example.com',
      method: 'OPTIONS',
      headers: [origin, 'Access-Control-Request-Method: GET'],
    });
    expect(preflight.status).toBe(204);
    const answer = await ask('twin', undefined, [origin]);
    expect([answer.status, answer.head]).toEqual([
      401,
      expect.stringMatching(/access-control-allow-origin: \*/),
    ]);
    expect(
      (await world.request({ host: 'twin.example.com', method: 'OPTIONS', headers: [origin] })).status,
    ).toBe(401);
  });

  it('are in no published configuration', () => {
    const config = bundleFile(world.bundle(), 'haproxy.cfg');
    const secrets = [hashes.sha512, hashes.sha256, hashes.md5].map((hash) => hash.slice(12));
    for (const hidden of [...secrets, 'word:']) expect(config).toContain(hidden);
    const shown = hidePasswords(Buffer.from(config)).toString();
    for (const hidden of [...secrets, 'word:']) expect(shown).not.toContain(hidden);
  });

  it('count from the reload on that a changed Secret takes', async () => {
    world.put(users('users', { auth: `zoe:${hashes.sha256}` }), users('nothing', { zoe: hashes.md5 }));
    await world.deploy();
    expect(await status('shop', 'zoe:secret')).toBe(200);
    expect(await status('shop', 'ann:secret')).toBe(401);
    expect(await status('missing', 'zoe:secret')).toBe(200);
  });
});
