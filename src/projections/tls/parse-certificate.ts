import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { KubeObject } from '../../api/kube-object.ts';
import type { Parsed } from '../parsed.ts';
import { certificateNames } from './certificate-names.ts';
import { orderChain } from './order-chain.ts';
import { pemBlocks } from './pem-blocks.ts';
import { secretText } from './secret-text.ts';
import { slowKey } from './slow-key.ts';

/** Signature that a certificate is chosen by: clients without ECDSA need one with RSA. */
export type KeyType = 'rsa' | 'ecdsa' | 'other';

/** A certificate that HAProxy can serve, with its private key. */
export interface CertificateFacts {
  /** PEM: the certificate, then those that vouch for it, each after the one that it has issued. No empty lines. */
  readonly chain: string;
  /** PEM, not encrypted, no empty lines. In no message. */
  readonly key: string;
  readonly keyType: KeyType;
  /** Host names and wildcards, lower case, in the order of the certificate; the first 1000. */
  readonly names: readonly string[];
  /** Milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** What clients may not like about it, for the field `data`. */
  readonly warnings: readonly string[];
}

export type CertificateContent =
  | { readonly kind: 'usable'; readonly facts: CertificateFacts }
  /** There is nothing: no `tls.crt` and no `tls.key`, or both are empty. */
  | { readonly kind: 'empty' }
  /** What is wrong, in words that follow the name of the Secret; nothing of its content is in them. */
  | { readonly kind: 'invalid'; readonly fault: string };

/** OpenSSL's clients refuse longer chains (`SSL_MAX_CERT_LIST_DEFAULT`); every entry of a crt-list has a copy of it. */
const mostBytes = 100 * 1024;
const mostCertificates = 16;

/** OpenSSL refuses shorter ones at its level 2 of security, which it has by default from 3.2 on, and before that in distributions. */
const leastBits = { rsa: 2048, ec: 224 } as const;

/** Every OpenSSL that HAProxy is built with can serve these; a single one that cannot would refuse the whole configuration. */
const servedKinds: ReadonlySet<string> = new Set(['rsa', 'rsa-pss', 'ec', 'ed25519', 'ed448']);

/**
 * HAProxy signs with the key at every handshake, and its thread does nothing else meanwhile: 4 ms with one of 4096 bits, 40 ms with 8192, 200 ms with 16384, for whoever asks for that
 * host. Public authorities take no longer ones.
 */
const mostBits = 4096;

/** Each object whose rules are for every host claims all of them. */
const mostNames = 1_000;

/**
 * `tls.crt` and `tls.key` of a Secret of any type (unvalidated JSON). The certificate is the one that belongs to the key, wherever it stands;
 * the others come in the order of the chain. Text around PEM blocks, blank lines and CRLF make no difference.
 */
export function parseCertificate(secret: KubeObject): CertificateContent {
  const { data } = secret;
  const crt = textOf(data, 'tls.crt');
  const pemKey = textOf(data, 'tls.key');
  if ('fault' in crt) return invalid(crt.fault);
  if ('fault' in pemKey) return invalid(pemKey.fault);
  if (crt.value === '' && pemKey.value === '') return { kind: 'empty' };
  if (crt.value === '') return invalid('has no tls.crt');
  if (pemKey.value === '') return invalid('has no tls.key');

  const certificates = readCertificates(crt.value);
  if ('fault' in certificates) return invalid(certificates.fault);
  const key = readKey(pemKey.value);
  if ('fault' in key) return invalid(key.fault);
  const leaf = certificates.value.find((certificate) => certificate.checkPrivateKey(key.value.key));
  if (leaf === undefined) return invalid('has a tls.key that belongs to no certificate in tls.crt');
  const chain = orderChain(leaf, certificates.value);
  if (!servedKinds.has(leaf.publicKey.asymmetricKeyType ?? ''))
    return invalid('has a key of another kind than RSA, EC or Ed25519');
  const [weak] = chain.flatMap(({ publicKey }, at) => weakness(publicKey, at) ?? []);
  if (weak !== undefined) return invalid(weak);
  const bits = leaf.publicKey.asymmetricKeyDetails?.modulusLength ?? 0;
  if (bits > mostBits)
    return invalid(
      `has a key of ${bits} bits, which keeps HAProxy from everybody else; ${mostBits} are enough`,
    );
  const slow = slowKey(leaf.publicKey);
  if (slow !== undefined) return invalid(slow);
  const names = certificateNames(leaf);
  return {
    kind: 'usable',
    facts: {
      chain: chain.map((certificate) => `${certificate.toString().trim()}\n`).join(''),
      key: key.value.pem,
      keyType: keyTypeOf(leaf.publicKey),
      names: names.slice(0, mostNames),
      notBefore: leaf.validFromDate.getTime(),
      notAfter: leaf.validToDate.getTime(),
      warnings: warningsOf(chain, names.length),
    },
  };
}

function invalid(fault: string): CertificateContent {
  return { kind: 'invalid', fault };
}

function textOf(data: unknown, name: string): Parsed<string> {
  const text = secretText(data, name, mostBytes);
  return 'fault' in text ? text : { value: text.value ?? '' };
}

function readCertificates(text: string): Parsed<readonly X509Certificate[]> {
  const blocks = pemBlocks(text).filter(({ label }) => /^(?:TRUSTED |X509 )?CERTIFICATE$/.test(label));
  if (blocks.length === 0) return { fault: 'has no certificate in PEM in tls.crt' };
  if (blocks.length > mostCertificates)
    return {
      fault: `has ${blocks.length} certificates in tls.crt; ${mostCertificates} are enough for any chain`,
    };
  const found: X509Certificate[] = [];
  for (const [at, { pem }] of blocks.entries()) {
    try {
      found.push(new X509Certificate(pem));
    } catch {
      // OpenSSL's words may quote what it read.
      return { fault: `has a certificate in tls.crt that cannot be read (number ${at + 1})` };
    }
  }
  return { value: found };
}

function readKey(text: string): Parsed<{ readonly key: KeyObject; readonly pem: string }> {
  const blocks = pemBlocks(text).filter(({ label }) => label.endsWith('PRIVATE KEY'));
  const [block, second] = blocks;
  if (block === undefined) return { fault: 'has no private key in PEM in tls.key' };
  if (second !== undefined) return { fault: 'has more than one private key in tls.key' };
  if (block.label.startsWith('ENCRYPTED') || /^Proc-Type:.*ENCRYPTED/m.test(block.pem))
    return { fault: 'has an encrypted private key in tls.key, which HAProxy cannot read' };
  try {
    return { value: { key: createPrivateKey(block.pem), pem: block.pem } };
  } catch {
    return { fault: 'has a private key in tls.key that cannot be read' };
  }
}

function weakness({ asymmetricKeyDetails: details }: KeyObject, place: number): string | undefined {
  // Curves have their number of bits in their names.
  const curveBits = Number(/\d{3}/.exec(details?.namedCurve ?? '')?.[0]);
  const [bits, least] =
    details?.modulusLength === undefined ? [curveBits, leastBits.ec] : [details.modulusLength, leastBits.rsa];
  const whose = place === 0 ? 'a key' : `in certificate ${place + 1} of its chain a key`;
  return bits < least ? `has ${whose} of ${bits} bits; HAProxy takes ${least} or more` : undefined;
}

function keyTypeOf({ asymmetricKeyType }: KeyObject): KeyType {
  if (asymmetricKeyType === 'rsa' || asymmetricKeyType === 'rsa-pss') return 'rsa';
  return asymmetricKeyType === 'ec' ? 'ecdsa' : 'other';
}

function warningsOf([leaf, issuer]: readonly X509Certificate[], names: number): readonly string[] {
  // Public authorities issue by intermediates and say where to get them.
  const says = leaf?.infoAccess?.includes('CA Issuers') === true;
  return [
    ...(says && issuer === undefined
      ? [
          'has no intermediate certificate in tls.crt: clients that do not know it will not believe the certificate',
        ]
      : []),
    ...(names > mostNames
      ? [`has ${names} names: the first ${mostNames} count where no object names a host`]
      : []),
  ];
}
