import type { Parsed } from '../../parsed.ts';

/** Several values between commas or white space, each once, in the order written; at least one, at most `most`. */
export function listOf<Item>(
  item: (text: string) => Parsed<Item>,
  most: number,
): (text: string) => Parsed<readonly Item[]> {
  return (text) => {
    const words = text.split(/[\s,]+/).filter((word) => word !== '');
    if (words.length === 0) return { fault: 'must have at least one value, and is empty' };
    if (words.length > most) return { fault: `has ${words.length} values, more than ${most}` };
    const values = new Set<Item>();
    for (const word of words) {
      const parsed = item(word);
      if ('fault' in parsed) return parsed;
      values.add(parsed.value);
    }
    return { value: [...values] };
  };
}
