/** Wall clock and timers, injected so that tests can turn them. */
export interface Clock {
  /** Milliseconds of the Unix clock. */
  readonly now: () => number;
  /** Calls `task` once after `ms`; the result cancels it. A timer alone keeps no process alive. */
  readonly after: (ms: number, task: () => void) => () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, task) => {
    const timer = setTimeout(task, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
