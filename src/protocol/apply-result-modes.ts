/** How an apply can end: `ApplyResult.mode`. */
export const applyResultModes = ['runtime', 'file_only', 'reload', 'scheduled', 'noop', 'rejected'] as const;
