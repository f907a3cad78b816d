/** Work that is begun at a fixed rate, until stopped. */
export interface Pace {
  /** How often it has been done. */
  readonly done: () => number;
  /** Waits for what is under way; throws what it has thrown. */
  stop(): Promise<void>;
}

/** Begins `work` every so many milliseconds, by the clock: not later because it takes long itself. */
export function startPace(everyMs: number, work: (turn: number) => Promise<void>): Pace {
  const open = new Set<Promise<void>>();
  let begun = 0;
  let done = 0;
  let failure: unknown;
  const timer = setInterval(() => {
    const running: Promise<void> = work(begun++)
      .then(
        () => {
          done++;
        },
        (error: unknown) => {
          failure ??= error;
        },
      )
      .finally(() => open.delete(running));
    open.add(running);
  }, everyMs);
  return {
    done: () => done,
    stop: async () => {
      clearInterval(timer);
      await Promise.all(open);
      if (failure !== undefined) throw failure instanceof Error ? failure : new Error('the work failed');
    },
  };
}
