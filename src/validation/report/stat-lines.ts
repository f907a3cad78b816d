import type { ProfileEntry } from '../../templates/render-profile.ts';

const shown = 20;

/** What cost most, as the lines of a table; none if nothing was measured. */
export function statLines(stats: readonly ProfileEntry[]): string[] {
  if (stats.length === 0) return [];
  const row = (cells: readonly string[], what: string): string =>
    `  ${cells.map((text) => text.padStart(10)).join('')}  ${what}`;
  const rows = stats
    .slice(0, shown)
    .map(({ kind, name, count, totalMs, selfMs }) =>
      row(
        [String(count), totalMs.toFixed(3), selfMs.toFixed(3), (totalMs / count).toFixed(3)],
        `${kind} ${name}`,
      ),
    );
  const rest = stats.length - shown;
  return [
    row(['count', 'total ms', 'self ms', 'each ms'], 'what'),
    ...rows,
    ...(rest > 0 ? [`    … ${rest} more`] : []),
  ];
}
