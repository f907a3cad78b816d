/**
 * Which snippets `{{snippets "point-*"}}` means: those whose name continues with a number, `point-NNN-topic`. So
 * `map-path-prefix-*` never takes in `map-path-prefix-exact-500-…`. A pattern without `*` means the one of that name.
 */
export function matchesSnippet(pattern: string, name: string): boolean {
  if (!pattern.endsWith('*')) return pattern === name;
  return name.startsWith(pattern.slice(0, -1)) && /^\d+(-|$)/.test(name.slice(pattern.length - 1));
}

/** A pattern is a snippet's name, or an extension point followed by `-*`. */
export function isSnippetPattern(pattern: string): boolean {
  return /^[^*\s]+$/.test(pattern) || /^[^*\s]+-\*$/.test(pattern);
}

/** True for names that a reader would take to be meant by the pattern though they have no number: reported, not guessed. */
export function missesNumber(pattern: string, name: string): boolean {
  return (
    pattern.endsWith('-*') &&
    name.startsWith(pattern.slice(0, -1)) &&
    !/\d/.test(name.slice(pattern.length - 1))
  );
}
