/** One server of `show servers conn`. */
export interface ServerConnections {
  /** `backend/server` */
  readonly server: string;
  /** Connections that carry something. */
  readonly used: number;
  readonly idle: number;
}

/**
 * Reads `show servers conn`. Columns differ between lines and are found by the heading; 2.6 prints fewer of the per-thread
 * ones at the end for a server added at runtime, which is why nothing is counted from the right.
 */
export function parseServerConnections(answer: string): ServerConnections[] {
  const rows = answer.split('\n').map((row) => row.split(' '));
  const heading = rows.find((row) => row[0] === '#')?.slice(1) ?? [];
  const used = heading.indexOf('used_cur');
  const idle = heading.indexOf('idle_cur');
  if (used < 0 || idle < 0) return [];
  return rows
    .filter((row) => row[0]?.includes('/') === true)
    .map((row) => ({ server: row[0] ?? '', used: Number(row[used]), idle: Number(row[idle]) }));
}
