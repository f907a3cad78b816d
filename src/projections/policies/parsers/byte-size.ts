import type { Parsed } from '../../parsed.ts';
import { showValue } from '../../show-value.ts';

const powers = ['', 'k', 'm', 'g'];

/** Bytes, with `k`, `m` or `g` for powers of 1024; `unlimited` is 0. */
export function byteSize(text: string): Parsed<number> {
  const lower = text.trim().toLowerCase();
  if (lower === 'unlimited') return { value: 0 };
  const [, digits, unit = ''] = /^(\d{1,12})([kmg])?$/.exec(lower) ?? [];
  const bytes = Number(digits) * 1024 ** powers.indexOf(unit);
  if (Number.isSafeInteger(bytes)) return { value: bytes };
  return { fault: `must be a size such as "8m" or "512k", or "unlimited", not ${showValue(text)}` };
}
