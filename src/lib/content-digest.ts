import { digest } from './digest.ts';
import type { Slices } from './slices.ts';

/** Values between two pauses. */
const batch = 2_000;

/**
 * A digest of plain JSON data: the same for equal data, whatever the order of fields. Nested as deep as it may be: there is no recursion.
 */
export function* contentDigest(root: unknown): Slices<string> {
  const digests: string[] = [];
  let text = '';
  let count = 0;
  /** What is left to write, the next one last. */
  const left: (unknown[] | string)[] = [[root]];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next === 'string') text += next;
    else text += begin(next[0], left);
    if (++count % batch !== 0) continue;
    digests.push(digest(text));
    text = '';
    yield;
  }
  return digest([...digests, text].join(' '));
}

/** The text that a value begins with; what follows goes to `left`. */
function begin(value: unknown, left: (unknown[] | string)[]): string {
  if (Array.isArray(value)) {
    left.push(']');
    for (let index = value.length - 1; index >= 0; index--) left.push([value[index]]);
    return '[';
  }
  if (typeof value === 'object' && value !== null) {
    left.push('}');
    const fields = Object.entries(value).sort(([a], [b]) => (a < b ? 1 : -1));
    for (const [key, item] of fields) left.push([item], `${JSON.stringify(key)}:`);
    return '{';
  }
  return `${JSON.stringify(value)},`;
}
