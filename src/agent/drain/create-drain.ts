import { pause } from '../pause.ts';

/** `quiet`: nothing came for the quiet period. `bound`: the longest wait was over. `unavailable`: HAProxy does not tell. */
export type DrainReason = 'quiet' | 'bound' | 'unavailable' | 'cancelled';

export interface DrainResult {
  readonly reason: DrainReason;
  readonly waited_ms: number;
}

export interface DrainDeps {
  /** Connections accepted so far; undefined or an error when HAProxy does not tell. */
  readonly count: () => Promise<number | undefined>;
  /** No wait is shorter, whatever HAProxy tells. At most `maxWaitMs`. */
  readonly minWaitMs: number;
  readonly quietPeriodMs: number;
  readonly maxWaitMs: number;
  readonly pollMs: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

export interface Drain {
  /** Waits until no new connections come. Whoever asks meanwhile waits for the same end; `signal` ends one's own wait. */
  wait(signal: AbortSignal): Promise<DrainResult>;
  /** Ends all waits. */
  cancel(): void;
}

interface Running {
  readonly end: Promise<DrainResult>;
  readonly stop: AbortController;
  waiters: number;
}

export function createDrain(deps: DrainDeps): Drain {
  let running:
    { readonly end: Promise<DrainResult>; readonly stop: AbortController; waiters: number } | undefined;

  const watch = async (signal: AbortSignal): Promise<DrainResult> => {
    const began = deps.now();
    const result = (reason: DrainReason): DrainResult => ({
      reason,
      waited_ms: Math.round(deps.now() - began),
    });
    let last: number | undefined;
    let quietSince = began;
    do {
      const total = await deps.count().catch(() => undefined);
      if (signal.aborted) break;
      if (total === undefined) {
        const rest = Math.max(0, deps.minWaitMs - (deps.now() - began));
        if (rest > 0 && !(await pause(rest, signal))) break;
        return result('unavailable');
      }
      const now = deps.now();
      // Smaller is another worker's count, which began anew: something happened.
      if (total !== last) quietSince = now;
      last = total;
      if (now - quietSince >= deps.quietPeriodMs && now - began >= deps.minWaitMs) return result('quiet');
      if (now - began >= deps.maxWaitMs) return result('bound');
    } while (await pause(deps.pollMs, signal));
    return result('cancelled');
  };

  const start = (): Running => {
    const stop = new AbortController();
    return { end: watch(stop.signal), stop, waiters: 0 };
  };
  /** Nobody waits any more: who comes next begins anew. */
  const forget = (ended: Running) => {
    ended.stop.abort();
    if (running === ended) running = undefined;
  };

  return {
    wait: async (signal) => {
      const joined = (running ??= start());
      const began = deps.now();
      joined.waiters++;
      const left = Promise.withResolvers<DrainResult>();
      const leave = () => left.resolve({ reason: 'cancelled', waited_ms: Math.round(deps.now() - began) });
      signal.addEventListener('abort', leave, { once: true });
      if (signal.aborted) leave();
      try {
        return await Promise.race([joined.end, left.promise]);
      } finally {
        signal.removeEventListener('abort', leave);
        if (--joined.waiters === 0) forget(joined);
      }
    },
    cancel: () => running?.stop.abort(),
  };
}
