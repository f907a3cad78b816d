/** No server may silence a watch for longer than this. */
const longest = 5 * 60_000;

/**
 * The `Retry-After` header (RFC 9110, section 10.2.3) in milliseconds from `now`: seconds, or an HTTP date; clamped to
 * 0…5 min. Undefined when there is none or it cannot be read.
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : httpDate(text) - now;
  return Number.isNaN(ms) ? undefined : Math.min(longest, Math.max(0, ms));
}

function httpDate(text: string): number {
  return /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : Number.NaN;
}
