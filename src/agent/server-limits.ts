/** How long a client may take, milliseconds. */
export interface ServerLimits {
  /** To finish a TLS handshake, or to say the first byte of one. */
  readonly handshakeMs: number;
  /** To send the headers of a request. */
  readonly headersMs: number;
  /** To send a whole request. */
  readonly readMs: number;
  /** From a request's headers to the end of the answer. */
  readonly answerMs: number;
  /** To let a connection lie idle. */
  readonly idleMs: number;
  /** How often the first ones are looked at. */
  readonly checkMs: number;
  /** How long requests may go on when the agent has been told to stop. */
  readonly graceMs: number;
}

export const serverLimits: ServerLimits = {
  handshakeMs: 10_000,
  headersMs: 10_000,
  readMs: 120_000,
  answerMs: 180_000,
  idleMs: 120_000,
  checkMs: 1_000,
  graceMs: 15_000,
};
