import { describe, expect, it } from 'vitest';
import { cipherNames } from '../../../../src/projections/policies/parsers/cipher-names.ts';
import { secretName } from '../../../../src/projections/policies/parsers/secret-name.ts';
import { serverProtocol } from '../../../../src/projections/policies/parsers/server-protocol.ts';
import { webAddress } from '../../../../src/projections/policies/parsers/web-address.ts';
import { backendTls } from '../../../../src/projections/policies/topics/backend-tls.ts';

describe('what is said of TLS by annotations', () => {
  it.each(['client-ca', 'a.b', ' client-ca '])('a Secret is named: %j', (text) => {
    expect(secretName(text)).toEqual({ value: text.trim() });
  });
  it.each(['', 'other/client-ca', '../x', 'A', 'a_b', 'a b', 'a\nb', 'x'.repeat(254)])(
    'no Secret is named: %j',
    (text) => {
      expect(secretName(text)).toHaveProperty('fault');
    },
  );

  it('a Secret may be named with the namespace of the object, and with no other', () => {
    expect(secretName('shop/client-ca', 'shop')).toEqual({ value: 'client-ca' });
    for (const text of ['other/client-ca', 'shop/', 'shop/a/b', '/client-ca', 'shop/../client-ca'])
      expect(secretName(text, 'shop')).toHaveProperty('fault');
  });

  it.each([
    ['h2-ssl', 'h2-ssl'],
    [' H1 ', 'h1'],
    ['HTTP', 'h1'],
    ['GRPC', 'h2'],
    ['HTTPS', 'h1-ssl'],
    ['grpcs', 'h2-ssl'],
  ])('a protocol of servers: %j is %s', (text, value) => expect(serverProtocol(text)).toEqual({ value }));
  it.each(['', 'h3', 'FCGI', 'AUTO_HTTP', 'constructor', 'https://'])('no protocol of servers: %j', (text) =>
    expect(serverProtocol(text)).toHaveProperty('fault'),
  );

  it.each(['https://help.example.com/', 'http://[::1]:8080/a?b=c&d=%20#e', 'https://x.example/%[path]'])(
    'a URL: %j',
    (text) => expect(webAddress(text)).toEqual({ value: text }),
  );
  it.each([
    '',
    '/help',
    'javascript:alert(1)',
    'https://a b',
    'https://a/\nb',
    'https://u:p@a/',
    'https://a/"',
    'https://a/\\',
    'https://',
    `https://a/${'x'.repeat(2_000)}`,
  ])('no URL: %j', (text) => expect(webAddress(text)).toHaveProperty('fault'));

  it('ciphers come with colons between them', () => {
    const names = 'ECDHE-RSA-AES128-GCM-SHA256, ECDHE-RSA-AES256-GCM-SHA384';
    expect(cipherNames(names)).toEqual({ value: names.replace(', ', ':') });
  });
  it.each(['', 'a b;c', '"x"', '$(x)', 'A\nB ]', '-'.repeat(80)])('no ciphers: %j', (text) =>
    expect(cipherNames(text)).toHaveProperty('fault'),
  );

  it('a name that HAProxy would not verify is refused', () => {
    const ca = { secureVerifyCaSecret: 'ca' };
    const faults = (fields: Parameters<NonNullable<typeof backendTls.check>>[0]) =>
      backendTls.check?.(fields).map(({ field }) => field);
    expect(faults({ ...ca, secureSni: 'host', secureVerifyHostname: 'a.example' })).toEqual([
      'secureVerifyHostname',
    ]);
    expect(faults({ ...ca, secureSni: 'a.example', secureVerifyHostname: 'a.example' })).toEqual([]);
    expect(faults({ ...ca, secureVerifyHostname: 'a.example' })).toEqual([]);
  });
});
