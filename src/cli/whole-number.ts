import { CodedError } from '../lib/coded-error.ts';

/**
 * The number that a flag was given; undefined if it was not.
 *
 * @throws CodedError `HAPTIC_ERR_CLI_USAGE` naming flag and bounds
 */
export function wholeNumber<Text extends string | undefined>(
  text: Text,
  flag: string,
  least: number,
  most: number,
): Text extends string ? number : number | undefined;
export function wholeNumber(
  text: string | undefined,
  flag: string,
  least: number,
  most: number,
): number | undefined {
  if (text === undefined) return undefined;
  const count = text.trim() === '' ? NaN : Number(text);
  if (Number.isInteger(count) && count >= least && count <= most) return count;
  throw new CodedError(
    'HAPTIC_ERR_CLI_USAGE',
    `${flag} must be a whole number from ${least} to ${most}, not ${JSON.stringify(text)}`,
  );
}
