import type { X509Certificate } from 'node:crypto';
import type { Finding } from '../finding.ts';

const day = 24 * 3_600_000;
/** Certificates are renewed 30 days before they end: one that has less was not. */
const soon = 25 * day;

/** Until when a certificate is valid; a warning when it should have been renewed, a failure when it has ended. */
export function certificateLifetime(
  check: string,
  what: string,
  { validFrom, validTo }: Pick<X509Certificate, 'validFrom' | 'validTo'>,
  now: number,
): Finding {
  const ends = Date.parse(validTo);
  const left = ends - now;
  const message = `${what} is valid until ${new Date(ends).toISOString()}`;
  // Short-lived ones are renewed when a third of their time is left.
  if (left > Math.min(soon, (ends - Date.parse(validFrom)) / 4)) return { check, status: 'ok', message };
  return {
    check,
    status: left > 0 ? 'warning' : 'failed',
    message: `${message}, ${Math.floor(left / day)} days`,
    advice: 'see whether haptic certificates runs every hour, as the chart has it',
  };
}
