import { generateKeyPairSync, KeyObject, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parseJwtKeys } from '../../../../src/projections/policies/parse-jwt-keys.ts';
import { secret } from '../../../fixtures/kube-objects.ts';
import { slowRsaKeys } from '../../../fixtures/slow-rsa-keys.ts';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const weak = generateKeyPairSync('rsa', { modulusLength: 1024 });
const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = ({ publicKey }: { readonly publicKey: KeyObject }) =>
  publicKey.export({ type: 'spki', format: 'pem' }).toString();
const jwk = ({ publicKey }: { readonly publicKey: KeyObject }) => publicKey.export({ format: 'jwk' });
const parse = (data: Readonly<Record<string, string>>, algorithm: 'RS256' | 'ES256' | 'ES384' = 'RS256') =>
  parseJwtKeys(secret({ data }), algorithm);

describe('parseJwtKeys', () => {
  it('takes keys of every form, each once, in one spelling', () => {
    const set = JSON.stringify({ keys: [jwk(rsa), { ...jwk(curve), use: 'enc' }] });
    const shifted = `${pem(rsa).replaceAll('\n', '\r\n')}\n# and a word\nexpose-fd listeners\n`;
    expect(parse({ a: pem(rsa), b: set, c: JSON.stringify(jwk(rsa)), d: shifted })).toEqual({
      value: { keys: [pem(rsa)], faults: [] },
    });
    expect(parse({ b: JSON.stringify({ keys: [jwk(curve)] }) }, 'ES256')).toEqual({
      value: { keys: [pem(curve)], faults: [] },
    });
  });

  it('leaves keys out that are for other algorithms, or weak', () => {
    const parsed = parse({ a: pem(rsa), b: pem(curve), c: pem(weak) });
    expect('value' in parsed && parsed.value).toEqual({
      keys: [pem(rsa)],
      faults: ['b has a key that is not for RS256', 'c has a key that is not for RS256'],
    });
    expect(parse({ a: pem(curve) }, 'ES384')).toHaveProperty('fault');
  });

  it('leaves keys out with which a check takes long', async () => {
    const { publicKey } = await slowRsaKeys();
    const n = Buffer.from(randomBytes(2048).map((byte, at) => (at % 2047 === 0 ? byte | 0x81 : byte)));
    const parsed = parse({
      a: pem(rsa),
      b: pem({ publicKey: KeyObject.from(publicKey) }),
      c: JSON.stringify({ kty: 'RSA', n: n.toString('base64url'), e: 'AQAB' }),
    });
    expect('value' in parsed && parsed.value).toEqual({
      keys: [pem(rsa)],
      faults: [
        'b has a key with a public exponent of more than 32 bits, which keeps HAProxy from everybody else',
        'c has a key of 16384 bits, which keeps HAProxy from everybody else; 4096 are enough',
      ],
    });
  });

  it.each([
    ['a private key', rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()],
    ['a private key in JSON', JSON.stringify({ keys: [rsa.privateKey.export({ format: 'jwk' })] })],
    ['a shared key', JSON.stringify({ keys: [{ kty: 'oct', k: 'Y2FuYXJ5' }] })],
    ['nothing', ''],
    ['a word', 'canary'],
    ['JSON that is none', '{"keys": canary}'],
    ['a set without keys', '{"keys": "canary"}'],
    ['a set of anything', '{"keys": [1, null, {"kty": "canary"}]}'],
    ['a key that is cut off', pem(rsa).slice(0, 200)],
  ])('refuses %s, and shows nothing of it', (_name, text) => {
    const parsed = parse({ field: text });
    expect(parsed).toHaveProperty('fault');
    expect(JSON.stringify(parsed)).not.toMatch(/canary|Y2Fu|MII/);
  });

  it('refuses a Secret without data', () => {
    expect(parseJwtKeys({ metadata: { name: 'x' } }, 'RS256')).toEqual({ fault: 'has no key for RS256' });
  });
});
