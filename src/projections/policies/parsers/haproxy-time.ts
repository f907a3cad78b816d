import type { Parsed } from '../../parsed.ts';
import { showValue } from '../../show-value.ts';

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** HAProxy's timers hold 31 bits of milliseconds. */
const mostMs = 2 ** 31 - 1;

/**
 * A time as HAProxy writes it, with a unit. Without one it is seconds, as other controllers take it, where HAProxy would read milliseconds. In one
 * spelling, so that equal times are equal text.
 */
export function haproxyTime(text: string): Parsed<string> {
  const [, digits, unit = 's'] = /^(\d{1,10})(ms|s|m|h|d)?$/.exec(text.trim()) ?? [];
  const ms = Number(digits) * (unitMs[unit] ?? Number.NaN);
  if (!Number.isFinite(ms))
    return { fault: `must be a time such as "30s" or "500ms", not ${showValue(text)}` };
  if (ms < 1 || ms > mostMs) return { fault: `must be between 1ms and 24d, not ${showValue(text)}` };
  return { value: ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms` };
}
