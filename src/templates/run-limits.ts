const mebi = 1024 * 1024;

/** What one run of a template may use up. More is an error of its item, or of the configuration. */
export const runLimits = {
  /** Calls of snippets within each other. */
  depth: 32,
  helperCalls: 250_000,
  /** Turns of all loops together. */
  loopTurns: 100_000,
  /** Characters of what a run prints and declares, together. */
  printed: 32 * mebi,
  /** Characters of one text that a helper makes. */
  text: 16 * mebi,
  /** Items of a list that a helper makes of a text. */
  parts: 200_000,
  /** Work of all helpers together, see `workMeter`: about 10 ns each. */
  work: 200_000_000,
} as const;
