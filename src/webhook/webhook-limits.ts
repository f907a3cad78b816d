import type { BodyLimits } from './body-reader.ts';

export interface WebhookLimits extends BodyLimits {
  /** An object may be 3 MB in a request to an API server, and an update brings two of them. */
  readonly bodyBytes: number;
  /** Characters of a review from which on it is a large one, see `WebhookServerDeps.largeQueue`. */
  readonly largeCharacters: number;
  /** That are open at once. */
  readonly connections: number;
  /** To finish a handshake or send a request, looked at every second. */
  readonly readMs: number;
  /** To let a connection lie idle: longer than API servers do, so that it is they who close. */
  readonly idleMs: number;
  /** How long an API server waits that does not say: the default of `timeoutSeconds`. */
  readonly timeoutMs: number;
  /** What is kept of that for the way back. */
  readonly marginMs: number;
}

export const webhookLimits: WebhookLimits = {
  bodyBytes: 8 * 1024 * 1024,
  // Twice 10,000 rules of an Ingress.
  bodyValues: 250_000,
  heldBytes: 32 * 1024 * 1024,
  // Some 500 rules of an Ingress, before and after an update.
  largeCharacters: 128 * 1024,
  // API servers open one for each request that is under way.
  connections: 1_024,
  readMs: 10_000,
  idleMs: 120_000,
  timeoutMs: 10_000,
  marginMs: 250,
};
