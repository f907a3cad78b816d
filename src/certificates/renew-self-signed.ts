import { createPrivateKey, X509Certificate } from 'node:crypto';
import { CodedError } from '../lib/coded-error.ts';
import { isDue } from './is-due.ts';
import { issueSelfSigned } from './issue-self-signed.ts';
import type { Renewal, RenewalDeps } from './renew-certificates.ts';

const attempts = 10;

/**
 * Keeps the certificate that HAProxy shows where there is no other, under the holder `fallback`: the same for all HAProxy pods and replicas, as
 * long as it is good. Does nothing when it is.
 *
 * @throws CodedError `HAPTIC_ERR_CERTIFICATES_BUSY` when others wrote all the time, and what the store throws
 */
export async function renewSelfSigned({
  store,
  policy,
  now,
  force = false,
}: RenewalDeps): Promise<readonly Renewal[]> {
  const holder = 'fallback';
  for (let attempt = 0; attempt < attempts; attempt++) {
    const stored = await store.read(holder);
    const reason = force ? 'asked for' : reasonToIssue(stored?.files ?? {}, now());
    if (reason === undefined) return [];
    const { cert, key } = await issueSelfSigned(now(), policy.validityMs);
    if (await store.write(holder, { 'tls.crt': cert, 'tls.key': key }, stored?.revision))
      return [{ holder, reason, notAfter: new X509Certificate(cert).validToDate.toISOString() }];
  }
  throw new CodedError(
    'HAPTIC_ERR_CERTIFICATES_BUSY',
    'the self-signed certificate is being written by others; run again',
  );
}

function reasonToIssue(files: Readonly<Record<string, string>>, now: number): string | undefined {
  const { 'tls.crt': cert = '', 'tls.key': key = '' } = files;
  if (cert === '' && key === '') return 'there was none';
  try {
    const certificate = new X509Certificate(cert);
    if (!certificate.checkPrivateKey(createPrivateKey(key))) return 'its key belongs to another';
    return isDue(certificate, now) ? 'about to expire' : undefined;
  } catch {
    return 'it was not usable';
  }
}
