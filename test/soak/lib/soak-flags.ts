import type { SoakInput } from './soak.ts';

type Values = SoakInput['values'];

/** A whole number of at least `least`; throws RangeError with the flag's name for anything else. */
export function countFlag(values: Values, name: string, fallback: number, least = 0): number {
  const text = values[name];
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < least)
    throw new RangeError(
      `--${name} must be a whole number of at least ${least}, not ${JSON.stringify(text)}`,
    );
  return value;
}

/** Seed of a run: the one asked for, else one that differs from run to run. */
export function seedFlag(values: Values): number {
  return countFlag(values, 'seed', (Date.now() ^ process.pid) & 0x7fffffff);
}
