/** Limits of the agent protocol, asserted by both ends. Bytes unless the name says otherwise. */
export const limits = {
  applyBodyBytes: 64 * 1024 * 1024,
  manifestBytes: 8 * 1024 * 1024,
  files: 32_768,
  planBlobBytes: 8 * 1024 * 1024,
  pathBytes: 255,
  operationsPerBatch: 1000,
  operationBatches: 8,
  commandLineBytes: 12 * 1024,
  payloadBytes: 12 * 1024,
  /** Of a payload, what is left for content beside its command and the question for the worker. */
  payloadContentBytes: 11 * 1024,
  cliRoundTripMs: 5_000,
  waitBudgetMs: 30_000,
  reloadMs: 60_000,
  reloadIntervalMs: 60_000,
  pendingServerDeletes: 1000,
  pendingBackendDeletes: 100,
  mapDeleteRepeats: 64,
  sections: 65_536,
  reasons: 32,
} as const;
