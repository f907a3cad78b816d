/** Names longer than that are no misspellings of others. */
const longest = 200;

/**
 * Which known name somebody may have meant: the one with the fewest edits (Levenshtein) from it, at most three and fewer for short
 * names; the first of several. Undefined: none is near.
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > longest) return undefined;
  let best: string | undefined;
  let least = Math.min(3, Math.floor(name.length / 3)) + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= least) continue;
    const far = distance(name, candidate);
    if (far < least) [best, least] = [candidate, far];
  }
  return best;
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(
        Math.min(
          (row[j] ?? 0) + 1,
          (next[j - 1] ?? 0) + 1,
          (row[j - 1] ?? 0) + (a.charAt(i - 1) === b.charAt(j - 1) ? 0 : 1),
        ),
      );
    row = next;
  }
  return row[b.length] ?? 0;
}
