import { beforeAll, describe, expect, it } from 'vitest';
import { parseTrust } from '../../../../src/projections/tls/parse-trust.ts';
import { type IssuedCertificate, issueCertificate } from '../../../fixtures/certificates.ts';
import { secret } from '../../../fixtures/kube-objects.ts';
import { issueRevocationList } from '../../../fixtures/revocation-list.ts';
import { slowRsaKeys } from '../../../fixtures/slow-rsa-keys.ts';

let first: IssuedCertificate;
let second: IssuedCertificate;
let list: string;
beforeAll(async () => {
  first = await issueCertificate({ names: ['a'], isAuthority: true });
  second = await issueCertificate({ names: ['b'], isAuthority: true, keys: 'rsa' });
  list = await issueRevocationList(first, [second]);
});
const parse = (data: Readonly<Record<string, string>>) => parseTrust(secret({ name: 'ca', data }));

describe('a Secret of authorities', () => {
  it('has one or more of them, each once, whatever stands around', () => {
    const text = `\uFEFFcomment\r\n${first.cert.replaceAll('\n', '\r\n')}\n\n${second.cert}\n${first.cert}`;
    expect(parse({ 'ca.crt': text })).toEqual({
      kind: 'usable',
      facts: { authorities: first.cert + second.cert },
    });
  });

  it('has no authority whose public exponent makes each handshake slow', async () => {
    const { cert } = await issueCertificate({ isAuthority: true, keys: await slowRsaKeys() });
    expect(parseTrust(secret({ data: { 'ca.crt': cert } }))).toEqual({
      kind: 'invalid',
      fault:
        'has an authority in ca.crt that has a key with a public exponent of more than 32 bits, which keeps HAProxy from everybody else',
    });
  });

  it('has lists of what is revoked, if it says so', () => {
    expect(parse({ 'ca.crt': first.cert, 'ca.crl': `\n${list}` })).toEqual({
      kind: 'usable',
      facts: { authorities: first.cert, revoked: list },
    });
  });

  it.each<[string, () => Readonly<Record<string, string>>, RegExp]>([
    ['nothing', () => ({}), /no certificate in ca\.crt/],
    ['an empty ca.crt', () => ({ 'ca.crt': '' }), /nothing in PEM in ca\.crt/],
    ['a key alone', () => ({ 'ca.crt': first.key }), /nothing in PEM in ca\.crt/],
    [
      'a broken certificate among whole ones',
      () => ({ 'ca.crt': first.cert + broken(second.cert) }),
      /number 2/,
    ],
    ['an empty list', () => ({ 'ca.crt': first.cert, 'ca.crl': '' }), /nothing in PEM in ca\.crl/],
    [
      'a certificate for a list',
      () => ({ 'ca.crt': first.cert, 'ca.crl': first.cert }),
      /nothing in PEM in ca\.crl/,
    ],
    [
      'a list that is cut off',
      () => ({ 'ca.crt': first.cert, 'ca.crl': broken(list) }),
      /ca\.crl that cannot be read/,
    ],
    [
      'a list that is something else',
      () => ({ 'ca.crt': first.cert, 'ca.crl': relabelled(first.key) }),
      /ca\.crl that cannot be read/,
    ],
    [
      'a list that is one from outside only',
      () => ({ 'ca.crt': first.cert, 'ca.crl': hollow }),
      /ca\.crl that cannot be read/,
    ],
    ['too much', () => ({ 'ca.crt': first.cert.repeat(2_000) }), /bytes/],
  ])('that has %s is of no use, and says so without its content', (_what, data, fault) => {
    const content = parse(data());
    expect(content).toEqual({ kind: 'invalid', fault: expect.stringMatching(fault) as string });
    for (const line of Object.values(data())
      .join('\n')
      .split('\n')
      .filter(({ length }) => length > 20))
      expect(JSON.stringify(content)).not.toContain(line);
  });
});

/** Two sequences and a string of bits, and nothing in them. */
const hollow = '-----BEGIN X509 CRL-----\nMAcwADAAAwEA\n-----END X509 CRL-----\n';

/** Without its last lines before the end. */
function broken(pem: string): string {
  const lines = pem.trim().split('\n');
  return `${[...lines.slice(0, -3), lines.at(-1)].join('\n')}\n`;
}

function relabelled(pem: string): string {
  return pem.replaceAll(/(BEGIN|END) [A-Z ]+/g, '$1 X509 CRL');
}
