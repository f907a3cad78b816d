import type { Clock } from '../clock.ts';

/** Wakes the agent when the one pending reload is due. What is pending is in the record; this is but its alarm clock. */
export interface ReloadPacer {
  /** Rings at this time of the Unix clock, or at once if it is past; a time set before is forgotten. */
  arm(at: number): void;
  disarm(): void;
}

/** Longest sleep in one go: a wall clock that is set back must not put a reload off by more than this. */
const longestSleepMs = 1_000;

export function createReloadPacer(clock: Clock, ring: () => void): ReloadPacer {
  let cancel: () => void = () => undefined;
  const sleep = (at: number) => {
    const left = at - clock.now();
    cancel = clock.after(Math.max(0, Math.min(left, longestSleepMs)), () => {
      if (clock.now() >= at) ring();
      else sleep(at);
    });
  };
  return {
    arm: (at) => {
      cancel();
      sleep(at);
    },
    disarm: () => cancel(),
  };
}

/**
 * The earliest time of the next reload: at once after a quiet time, else one interval after the last. A last reload in the
 * future (the wall clock was set back) counts as now.
 */
export function earliestReload(now: number, lastReloadAt: number, intervalMs: number): number {
  return Math.max(now, Math.min(lastReloadAt, now) + intervalMs * Number(lastReloadAt > 0));
}
