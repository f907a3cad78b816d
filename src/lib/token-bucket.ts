/** At most `burst` at once, and one more every `interval` milliseconds after that. */
export interface BucketLimits {
  readonly burst: number;
  readonly interval: number;
}

export interface TokenBucket {
  /** Takes a token, if there is one. */
  take(now: number): boolean;
  /** Milliseconds until there is one; 0: there is. */
  wait(now: number): number;
}

/** A full bucket. Times are milliseconds of any clock that does not go back. */
export function createTokenBucket({ burst, interval }: BucketLimits): TokenBucket {
  let tokens = burst;
  let at: number | undefined;

  const fill = (now: number): void => {
    tokens = Math.min(burst, tokens + (now - (at ?? now)) / interval);
    at = now;
  };
  return {
    take: (now) => {
      fill(now);
      if (tokens < 1 - 1e-9) return false;
      tokens -= 1;
      return true;
    },
    wait: (now) => {
      fill(now);
      return tokens >= 1 - 1e-9 ? 0 : Math.ceil((1 - tokens) * interval);
    },
  };
}
