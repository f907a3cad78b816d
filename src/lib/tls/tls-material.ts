import { createHash, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { CodedError } from '../coded-error.ts';

/** What one side of a mutual TLS connection shows and whom it believes. The key never leaves `key`. */
export interface TlsMaterial {
  /** PEM: the own certificate, then the intermediates that came with it. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
  readonly leaf: X509Certificate;
  /** Authorities whose certificates are accepted from the other side. */
  readonly trust: readonly X509Certificate[];
  /** Equal for equal trust. */
  readonly trustId: string;
  /** Equal for equal identity and trust. */
  readonly id: string;
  /** Milliseconds since the epoch from when this means something else: the own certificate or the former authority ends. */
  readonly staleAt: number;
}

/** Files of an identity's folder or Secret; the last two are there together or not at all. */
export const tlsFiles = ['tls.crt', 'tls.key', 'ca.crt', 'previous-ca.crt', 'previous-ca-until'] as const;

export type TlsFile = (typeof tlsFiles)[number];

const farthestOverlapMs = 24 * 3_600_000;

/**
 * Checks the texts of an identity and takes them as one.
 *
 * The certificate must be valid now and belong to the key. `previous-ca.crt` counts until the time in `previous-ca-until`
 * (RFC 3339, at most 24 hours ahead), so that both sides of a rotation are believed for a while.
 *
 * @param where names the folder, for errors
 * @throws CodedError `HAPTIC_ERR_TLS_MATERIAL` naming the file and what is wrong with it; no content is shown
 */
export function tlsMaterial(
  files: Readonly<Partial<Record<TlsFile, string>>>,
  now: number,
  where: string,
): TlsMaterial {
  const wrong = (file: TlsFile, what: string, cause?: unknown) =>
    new CodedError('HAPTIC_ERR_TLS_MATERIAL', `${where}/${file}: ${what}`, { cause });
  const needed = (file: TlsFile): string => {
    const text = files[file];
    if (text === undefined || text.trim() === '') throw wrong(file, 'is missing or empty');
    return text;
  };
  const certificates = (file: TlsFile): [X509Certificate, ...X509Certificate[]] => {
    const blocks = needed(file).match(certificateBlock) ?? [];
    try {
      const [first, ...rest] = blocks.map((block) => new X509Certificate(block));
      if (first !== undefined) return [first, ...rest];
    } catch (error) {
      throw wrong(file, 'holds a certificate that cannot be read', error);
    }
    throw wrong(file, 'holds no certificate');
  };
  const authorities = (file: TlsFile) => {
    const found = certificates(file);
    if (!found.every(({ ca }) => ca)) throw wrong(file, 'holds a certificate that is no authority');
    const valid = found.filter((certificate) => validityProblem(certificate, now) === undefined);
    if (valid.length === 0) throw wrong(file, validityProblem(found[0], now) ?? '');
    return valid;
  };

  const [leaf] = certificates('tls.crt');
  const expiry = validityProblem(leaf, now);
  if (expiry !== undefined) throw wrong('tls.crt', expiry);
  let key: KeyObject;
  try {
    key = createPrivateKey(needed('tls.key'));
  } catch (error) {
    // OpenSSL's words are about the format; the cause is left out all the same, since it comes from a secret.
    if (error instanceof CodedError) throw error;
    throw wrong('tls.key', 'holds no private key that can be read');
  }
  if (!leaf.checkPrivateKey(key)) throw wrong('tls.key', 'does not belong to the certificate in tls.crt');

  const until = overlapEnd(files, now, wrong);
  const trust = [...authorities('ca.crt'), ...(until === undefined ? [] : authorities('previous-ca.crt'))];
  const trustId = fingerprint(trust.map(({ fingerprint256 }) => fingerprint256));
  const ends = [leaf, ...trust].map(({ validToDate }) => validToDate.getTime());
  return {
    cert: needed('tls.crt'),
    key: needed('tls.key'),
    leaf,
    trust,
    trustId,
    id: fingerprint([trustId, needed('tls.crt'), needed('tls.key')]),
    staleAt: Math.min(...ends, until ?? Number.POSITIVE_INFINITY),
  };
}

/** Says why a certificate is not valid at a time. */
export function validityProblem(certificate: X509Certificate, now: number): string | undefined {
  const { validFromDate, validToDate } = certificate;
  if (now < validFromDate.getTime()) return `is not valid before ${validFromDate.toISOString()}`;
  if (now >= validToDate.getTime()) return `expired at ${validToDate.toISOString()}`;
  return undefined;
}

const certificateBlock = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;
const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** When the former authority stops counting; undefined when it already has, or there is none. */
function overlapEnd(
  files: Readonly<Partial<Record<TlsFile, string>>>,
  now: number,
  wrong: (file: TlsFile, what: string) => CodedError,
): number | undefined {
  const text = files['previous-ca-until']?.trim();
  if (text === undefined) {
    if (files['previous-ca.crt'] === undefined) return undefined;
    throw wrong('previous-ca-until', 'must say until when previous-ca.crt counts');
  }
  if (files['previous-ca.crt'] === undefined) throw wrong('previous-ca.crt', 'is missing');
  const until = rfc3339.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(until)) throw wrong('previous-ca-until', 'is not a time as RFC 3339 writes it');
  if (until > now + farthestOverlapMs) throw wrong('previous-ca-until', 'is more than 24 hours ahead');
  return until > now ? until : undefined;
}

function fingerprint(parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('hex');
}
