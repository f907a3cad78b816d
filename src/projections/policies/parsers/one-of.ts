import type { Parsed } from '../../parsed.ts';
import { showValue } from '../../show-value.ts';

/** One of a few words or whole numbers, as written here. */
export function oneOf<const Value extends string | number>(
  ...values: readonly Value[]
): (text: string) => Parsed<Value> {
  return (text) => {
    const value = values.find((known) => String(known) === text.trim());
    return value === undefined
      ? { fault: `must be one of ${values.join(', ')}, not ${showValue(text)}` }
      : { value };
  };
}
