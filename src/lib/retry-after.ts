/**
 * The `Retry-After` header (RFC 9110, section 10.2.3) in milliseconds from `now`: seconds, or an HTTP date; clamped to
 * 0…`longest`, since no server may silence somebody for ever. Undefined when there is none or it cannot be read.
 */
export function retryAfterMs(header: string | undefined, now: number, longest: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : httpDate(text) - now;
  return Number.isNaN(ms) ? undefined : Math.min(longest, Math.max(0, ms));
}

function httpDate(text: string): number {
  return /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : Number.NaN;
}
