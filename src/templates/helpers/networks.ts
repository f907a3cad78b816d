import { createHash, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { isVersionAtLeast } from '../../lib/is-version-at-least.ts';
import { anyNumber, type HelperTable } from '../helper-spec.ts';
import { containsAddress, parseCidr } from '../../lib/cidr.ts';
import { valueHelper as value } from '../value-helper.ts';
import { listOf, textOf } from './arguments.ts';

/** Addresses, versions and certificates. */
export const networkHelpers: HelperTable = {
  isIp: value(
    'isIp text',
    'True for an IPv4 or IPv6 address, without zone.',
    [1, 1],
    ([from]) => isIP(textOf(from)) !== 0 && !textOf(from).includes('%'),
    '{{isIp "10.0.0.1"}} {{isIp "example.com"}}',
  ),
  isIpv6: value(
    'isIpv6 text',
    'True for an IPv6 address or network.',
    [1, 1],
    ([from]) => parseCidr(textOf(from))?.family === 6,
    '{{isIpv6 "fd00::/8"}}',
  ),
  isCidr: value(
    'isCidr text',
    'True for an address or a network such as `10.0.0.0/8`.',
    [1, 1],
    ([from]) => parseCidr(textOf(from)) !== undefined,
    '{{isCidr "10.0.0.0/8"}} {{isCidr "10.0.0.0/33"}}',
  ),
  cidrContains: value(
    'cidrContains "10.0.0.0/8" address',
    'True if the network has the address or network in it.',
    [2, 2],
    ([network, address]) => {
      const [outer, inner] = [network, address].map((text) => parseCidr(textOf(text)));
      if (outer === undefined || inner === undefined)
        throw new RangeError('networks and addresses are written such as 10.0.0.0/8 and 10.0.0.1');
      return containsAddress(outer, inner);
    },
    '{{cidrContains "10.0.0.0/8" "10.1.2.3"}}',
  ),
  cidrPartition: value(
    'cidrPartition list',
    'The texts of a list as an object: `ipv4` and `ipv6`, each once and in order of address, and what is `invalid`.',
    [1, 1],
    ([from]) => {
      const parsed = listOf(from).map((item) => {
        const text = textOf(item).trim();
        return { text, network: parseCidr(text) };
      });
      const of = (family: 4 | 6) => [
        ...new Map(
          parsed
            .flatMap(({ network }) => (network?.family === family ? [network] : []))
            .sort((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : a.length - b.length))
            .map((network) => [network.text, network.text]),
        ).values(),
      ];
      return {
        ipv4: of(4),
        ipv6: of(6),
        invalid: parsed.flatMap(({ text, network }) => (network === undefined ? [text] : [])),
      };
    },
    '{{#let (cidrPartition (array "fd00::/8" "10.0.0.1" "nowhere")) as |c|}}{{join c.ipv4 ","}} {{join c.ipv6 ","}} {{join c.invalid ","}}{{/let}}',
  ),
  makeGuid: value(
    'makeGuid a b …',
    'An identifier of its arguments for `guid`: readable where it is short, with a digest where it would be longer than HAProxy takes (127 characters) or could be another one’s.',
    [1, anyNumber],
    (args) => {
      const parts = args.map(textOf);
      const plain = parts.join(':').replace(/[^A-Za-z0-9_.:-]/g, '_');
      if (plain.length <= 127 && parts.every((part) => /^[A-Za-z0-9_.-]+$/.test(part))) return plain;
      const sum = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
      return `${plain.slice(0, 110)}-${sum}`;
    },
    '{{makeGuid w.kind w.metadata.namespace w.metadata.name}}',
  ),
  versionAtLeast: value(
    'versionAtLeast "3.2.1" "3.0"',
    'True if the version is the second or later, by major and minor number.',
    [2, 2],
    ([version, least]) =>
      isVersionAtLeast(textOf(version).replace(/^v/, ''), textOf(least).replace(/^v/, '')),
    '{{versionAtLeast "3.10" "3.4"}}',
  ),
  certificateInfo: value(
    'certificateInfo pem',
    'What the first certificate of a PEM text says: `subject`, `issuer`, `dnsNames`, `serial`, `notBefore` and `notAfter` (seconds), `keyType`, `keyBits` or `keyCurve`, `isCa`, `fingerprint`. Nothing if there is none.',
    [1, 1],
    ([from]) => certificateFacts(textOf(from)),
    '{{#with (certificateInfo extraContext.certificate) as |c|}}{{c.subject}} {{c.keyType}} {{join c.dnsNames ","}}{{/with}}',
  ),
};

function certificateFacts(pem: string): Readonly<Record<string, unknown>> | undefined {
  const block = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/.exec(pem)?.[0];
  if (block === undefined) return undefined;
  const certificate = parseCertificate(block);
  const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey;
  return {
    subject: certificate.subject.replaceAll('\n', ','),
    issuer: certificate.issuer.replaceAll('\n', ','),
    dnsNames: [...(certificate.subjectAltName ?? '').matchAll(/DNS:([^,\s"]+)/g)].map(([, name]) => name),
    serial: certificate.serialNumber,
    notBefore: Math.floor(certificate.validFromDate.getTime() / 1000),
    notAfter: Math.floor(certificate.validToDate.getTime() / 1000),
    keyType: asymmetricKeyType,
    keyBits: asymmetricKeyDetails?.modulusLength,
    keyCurve: asymmetricKeyDetails?.namedCurve,
    isCa: certificate.ca,
    fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
  };
}

/** The cause is left out: nothing of a PEM text gets into a message. */
function parseCertificate(block: string): X509Certificate {
  try {
    return new X509Certificate(block);
  } catch {
    throw new RangeError('the PEM text has a certificate that cannot be read');
  }
}
