/** Complete lines of a text that arrives in pieces, and what is left for the next piece. */
export interface SplitLines {
  readonly lines: readonly string[];
  readonly carry: string;
}

/**
 * Cuts at `\n` (a `\r` before it and empty lines are dropped). `carry` is the unfinished rest of the pieces so far: pass
 * it to the next call. Linear in `text`, also when one line takes many pieces.
 */
export function splitLines(carry: string, text: string): SplitLines {
  let end = text.indexOf('\n');
  if (end === -1) return { lines: [], carry: carry + text };
  const lines: string[] = [];
  let start = 0;
  let first = carry;
  while (end !== -1) {
    const line = first + text.slice(start, end);
    first = '';
    const trimmed = line.endsWith('\r') ? line.slice(0, -1) : line;
    if (trimmed !== '') lines.push(trimmed);
    start = end + 1;
    end = text.indexOf('\n', start);
  }
  return { lines, carry: text.slice(start) };
}
