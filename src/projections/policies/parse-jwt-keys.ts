import { createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { KubeObject } from '../../api/kube-object.ts';
import { isRecord } from '../../lib/is-record.ts';
import type { Parsed } from '../parsed.ts';
import { secretText } from '../tls/secret-text.ts';
import { slowKey } from '../tls/slow-key.ts';
import type { JwtAlgorithm } from './jwt-algorithms.ts';

export interface JwtKeysContent {
  /** PEM of public keys (SubjectPublicKeyInfo), each once. */
  readonly keys: readonly string[];
  /** What is wrong with single fields; nothing of what is in them. */
  readonly faults: readonly string[];
}

const most = { bytes: 65_536, keys: 16 };
const curves: Readonly<Record<string, string>> = {
  ES256: 'prime256v1',
  ES384: 'secp384r1',
  ES512: 'secp521r1',
};

/**
 * Keys that signatures are checked with, of a Secret: each field has a public key or a certificate (PEM), or a set of keys (JSON, RFC 7517). Those that are for
 * another algorithm are left out; private ones are refused, as they belong to whoever signs.
 */
export function parseJwtKeys({ data }: KubeObject, algorithm: JwtAlgorithm): Parsed<JwtKeysContent> {
  const keys = new Set<string>();
  const faults: string[] = [];
  for (const field of isRecord(data) ? Object.keys(data).sort() : []) {
    const text = secretText(data, field, most.bytes);
    const found = 'fault' in text ? text : keysOf(text.value ?? '');
    if ('fault' in found) {
      faults.push(`${field} ${found.fault}`);
      continue;
    }
    for (const key of found.value) {
      const slow = slowKey(key);
      if (slow !== undefined) faults.push(`${field} ${slow}`);
      else if (fits(key, algorithm)) keys.add(key.export({ type: 'spki', format: 'pem' }).toString());
      else faults.push(`${field} has a key that is not for ${algorithm}`);
    }
  }
  if (keys.size === 0)
    return {
      fault: `has no key for ${algorithm}${faults.length === 0 ? '' : `: ${faults.slice(0, 5).join('; ')}`}`,
    };
  if (keys.size > most.keys) return { fault: `has ${keys.size} keys, more than ${most.keys}` };
  return { value: { keys: [...keys], faults: faults.slice(0, 5) } };
}

function keysOf(text: string): Parsed<readonly KeyObject[]> {
  if (text.includes('PRIVATE KEY'))
    return { fault: 'is a private key, which nobody but the signer should have' };
  try {
    if (!text.startsWith('{')) return { value: [fromPem(text)] };
    const parsed: unknown = JSON.parse(text);
    const set = isRecord(parsed) ? (parsed['keys'] ?? [parsed]) : [];
    if (!Array.isArray(set)) return { fault: 'has no list of keys' };
    const signing = set.filter(isRecord).filter(({ use }) => use === undefined || use === 'sig');
    if (signing.some((key) => key['d'] !== undefined || key['kty'] === 'oct'))
      return { fault: 'has a private or shared key, which nobody but the signer should have' };
    return { value: signing.map((key) => createPublicKey({ key: key, format: 'jwk' })) };
  } catch {
    // What the parser says may quote what it read.
    return { fault: 'has no public key that can be read' };
  }
}

function fromPem(text: string): KeyObject {
  return text.includes('BEGIN CERTIFICATE') ? new X509Certificate(text).publicKey : createPublicKey(text);
}

function fits({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject, algorithm: JwtAlgorithm): boolean {
  const curve = curves[algorithm];
  if (curve !== undefined) return asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === curve;
  return asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= 2048;
}
