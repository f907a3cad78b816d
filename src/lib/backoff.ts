/** How long to wait between attempts, as data. Milliseconds. */
export interface BackoffPolicy {
  readonly min: number;
  readonly max: number;
  readonly factor: number;
  /** Share of the delay by which it may vary either way, 0 to 1: keeps clients apart that failed together. */
  readonly jitter: number;
  /** After this long without a failure the next delay is `min` again. A first success does not reset: it may be a flap. */
  readonly resetAfter: number;
}

/**
 * The delay before attempt number `attempt` (0 for the first retry), between `min·(1−jitter)` and `max·(1+jitter)`.
 *
 * @param random in [0, 1)
 */
export function backoffDelay(policy: BackoffPolicy, attempt: number, random: number): number {
  const delay = Math.min(policy.max, policy.min * policy.factor ** attempt);
  return spread(delay, policy.jitter, random);
}

/** `delay` varied by up to `jitter` (a share of it) either way; whole milliseconds. */
export function spread(delay: number, jitter: number, random: number): number {
  return Math.round(delay * (1 + jitter * (2 * random - 1)));
}
