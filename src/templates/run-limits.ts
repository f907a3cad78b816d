/** What one run of a template may use up. More is an error of its item, or of the configuration. */
export const runLimits = {
  /** Calls of snippets within each other. */
  depth: 32,
  helperCalls: 250_000,
  /** Turns of all loops together. */
  loopTurns: 100_000,
} as const;
