import { describe, expect, it } from 'vitest';
import { redact } from '../../../src/lib/redact.ts';
import { nested } from '../../fixtures/nested.ts';

describe('redact', () => {
  it('hides the values of Secrets and keeps their keys, at any depth', () => {
    const secret = {
      kind: 'Secret',
      metadata: { name: 's' },
      data: { 'tls.key': 'a2V5', user: 'eA==' },
      stringData: { a: 'b' },
    };
    expect(redact({ items: [secret] })).toEqual({
      items: [
        {
          kind: 'Secret',
          metadata: { name: 's' },
          data: { 'tls.key': '[redacted]', user: '[redacted]' },
          stringData: { a: '[redacted]' },
        },
      ],
    });
  });

  it('hides what kubectl keeps of an applied object, which is all of it as one text', () => {
    const applied = JSON.stringify({ kind: 'Secret', data: { a: 'a2V5' } });
    const metadata = { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': applied, a: 'b' } };
    expect(redact({ kind: 'Secret', metadata })).toEqual({
      kind: 'Secret',
      metadata: {
        annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '[redacted]', a: 'b' },
      },
    });
  });

  it('cuts off what is nested without end', () => {
    expect(JSON.stringify(redact(nested(20_000)))).toMatch(/^(\{"in":){200}"\[nested too deep\]"\}{200}$/);
  });

  it('hides a Secret whose data is no object', () => {
    expect(redact({ kind: 'Secret', data: 'a2V5' })).toEqual({ kind: 'Secret', data: '[redacted]' });
  });

  it('hides fields that are secret by name, in any case', () => {
    expect(redact({ Password: 'x', authorization: 'Basic x', token: ['y'], user: 'z' })).toEqual({
      Password: '[redacted]',
      authorization: '[redacted]',
      token: '[redacted]',
      user: 'z',
    });
  });

  it.each([
    'adminPassword',
    'db_passwd',
    'clientSecret',
    'apiKey',
    'api-key',
    'privateKey',
    'credentials',
    'accessToken',
    'apiToken',
  ])('hides a field named %s', (name) => {
    expect(redact({ extraContext: { [name]: 'x' } })).toEqual({ extraContext: { [name]: '[redacted]' } });
  });

  it.each(['secrets', 'key', 'mapKey', 'applied_token', 'secretName', 'tokens'])(
    'shows a field named %s',
    (name) => {
      expect(redact({ [name]: 'x' })).toEqual({ [name]: 'x' });
    },
  );

  it('hides private keys inside any text, also when they are cut off', () => {
    const pem = 'a\n-----BEGIN EC PRIVATE KEY-----\nMHcC\n-----END EC PRIVATE KEY-----\nb';
    expect(redact([pem])).toEqual(['a\n[redacted]\nb']);
    expect(redact('x -----BEGIN PRIVATE KEY-----\nMHcC')).toBe('x [redacted]');
  });

  it('leaves everything else as it is', () => {
    const plain = { a: 1, b: [true, null, 'text'], c: { d: undefined } };
    expect(redact(plain)).toEqual(plain);
  });
});
