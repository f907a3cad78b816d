import type { Parsed } from '../../parsed.ts';
import { showValue } from '../../show-value.ts';

/** Reads a whole number within bounds, both included. */
export function wholeNumber(least: number, most: number): (text: string) => Parsed<number> {
  return (text) => {
    const value = /^\d{1,15}$/.test(text.trim()) ? Number(text.trim()) : Number.NaN;
    if (value >= least && value <= most) return { value };
    return { fault: `must be a whole number from ${least} to ${most}, not ${showValue(text)}` };
  };
}
