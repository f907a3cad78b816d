import { type KeyObject, X509Certificate } from 'node:crypto';
import type { PlanFile } from '../protocol/plan.ts';

/** What of a certificate decides to whom HAProxy shows it. */
export interface CertificateTraits {
  /** Alternative names and common name, in lower case. */
  readonly names: readonly string[];
  /**
   * Of several certificates for one host name, HAProxy (all lines) takes the first with ECDSA if the client knows that, else the first with
   * RSA, else the first of any other kind.
   */
  readonly keyType: 'rsa' | 'ecdsa' | 'other';
}

const known = new WeakMap<PlanFile, CertificateTraits | 'unknown'>();

/** Traits of the first certificate of a PEM file; undefined: it is not understood. */
export function certificateTraits(file: PlanFile): CertificateTraits | undefined {
  const held = known.get(file);
  if (held !== undefined) return held === 'unknown' ? undefined : held;
  const traits = readTraits(file);
  known.set(file, traits ?? 'unknown');
  return traits;
}

function readTraits(file: PlanFile): CertificateTraits | undefined {
  try {
    const pem = Buffer.concat([...file.content()]).toString('latin1');
    const block = /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]*-----END [A-Z0-9 ]+-----/.exec(
      pem,
    )?.[0];
    if (block === undefined) return undefined;
    const { subjectAltName = '', subject, publicKey } = new X509Certificate(block);
    const alternative = [...subjectAltName.matchAll(/DNS:"?([^\s",]+)/g)];
    const common = [...subject.matchAll(/^CN=(.+)$/gm)];
    const names = [...alternative, ...common].map(([, name = '']) => name.toLowerCase());
    return { names, keyType: keyTypeOf(publicKey) };
  } catch {
    return undefined;
  }
}

function keyTypeOf({ asymmetricKeyType }: KeyObject): CertificateTraits['keyType'] {
  if (asymmetricKeyType === 'ec') return 'ecdsa';
  return asymmetricKeyType === 'rsa' || asymmetricKeyType === 'rsa-pss' ? 'rsa' : 'other';
}
