import type { X509Certificate } from 'node:crypto';
import { validityProblem } from './tls-material.ts';

const longestChain = 6;

/**
 * Why a certificate is not to be believed, given the chain it came with and the authorities trusted now; undefined when it is.
 * For connections that OpenSSL let in under an earlier trust: signatures, issuers, authority flags and times are checked again;
 * purposes were checked at the handshake and cannot change.
 *
 * @param chain the peer's certificate, then the intermediates it sent
 */
export function chainProblem(
  chain: readonly X509Certificate[],
  trust: readonly X509Certificate[],
  now: number,
): string | undefined {
  let [current] = chain;
  if (current === undefined) return 'there is no certificate';
  for (let depth = 0; depth < longestChain; depth++) {
    const link: X509Certificate = current;
    const expiry = validityProblem(link, now);
    if (expiry !== undefined) return `the certificate of ${nameOf(link)} ${expiry}`;
    if (trust.some((anchor) => isIssuer(anchor, link) && validityProblem(anchor, now) === undefined))
      return undefined;
    current = chain.slice(1).find((candidate) => candidate.ca && isIssuer(candidate, link));
    if (current === undefined || current.fingerprint256 === link.fingerprint256) break;
  }
  return 'it was not issued by a trusted authority';
}

function isIssuer(issuer: X509Certificate, issued: X509Certificate): boolean {
  return issued.checkIssued(issuer) && issued.verify(issuer.publicKey);
}

function nameOf(certificate: X509Certificate): string {
  return certificate.subject.replaceAll('\n', ', ') || 'no name';
}
