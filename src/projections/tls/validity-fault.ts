import type { Collection, Reader } from '../../collections/types.ts';
import type { CertificateFault } from './create-certificate-contents.ts';
import { deadlineKeys } from './deadline-keys.ts';
import type { CertificateFacts } from './parse-certificate.ts';

/** Whether it is too early or too late for a certificate, which is served all the same, in words that follow the name of its Secret. */
export function validityFault(
  reader: Pick<Reader, 'read'>,
  times: Collection<true>,
  secret: string,
  facts: CertificateFacts,
): CertificateFault | undefined {
  if (reader.read(times, deadlineKeys.ends(secret, facts)) === true)
    return {
      severity: 'warning',
      reason: 'CertificateExpired',
      message: `has a certificate that expired at ${isoOf(facts.notAfter)}; it is served`,
    };
  if (reader.read(times, deadlineKeys.begins(secret, facts)) === true)
    return {
      severity: 'warning',
      reason: 'CertificateNotYetValid',
      message: `has a certificate that is not valid before ${isoOf(facts.notBefore)}; it is served`,
    };
  return undefined;
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
