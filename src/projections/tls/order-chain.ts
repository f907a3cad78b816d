import type { X509Certificate } from 'node:crypto';

/**
 * A certificate and those that came with it, each once: first the way from it to its root, each after the one that it has issued, then what is
 * not on this way, as it came. TLS 1.2 clients go by the order (RFC 5246, 7.4.2).
 */
export function orderChain(
  leaf: X509Certificate,
  certificates: readonly X509Certificate[],
): readonly X509Certificate[] {
  const left = new Map(certificates.map((certificate) => [certificate.fingerprint256, certificate]));
  left.delete(leaf.fingerprint256);
  const chain = [leaf];
  for (let last: X509Certificate | undefined = leaf; last !== undefined;) {
    const issued: X509Certificate = last;
    const issuer: X509Certificate | undefined = [...left.values()].find((candidate) =>
      issued.checkIssued(candidate),
    );
    if (issuer !== undefined) {
      left.delete(issuer.fingerprint256);
      chain.push(issuer);
    }
    last = issuer;
  }
  return [...chain, ...left.values()];
}
