import type { Logger } from 'pino';

/** What a controller goes through until it serves, in the order in which they usually come. */
export type StartupStage =
  | 'setup'
  | 'config-watch'
  | 'config'
  | 'resources'
  | 'reconciliation'
  | 'leader-election'
  | 'webhook'
  | 'debug';

export interface StartupStages {
  /** A stage is reached. Only the first time counts. */
  readonly mark: (stage: StartupStage) => void;
  /** Milliseconds from the start to each stage that was reached. */
  readonly reached: () => Readonly<Partial<Record<StartupStage, number>>>;
}

/** Tells each stage of the start in the log, once. `now` in milliseconds, monotonic. */
export function createStartupStages(log: Logger, now: () => number): StartupStages {
  const begun = now();
  const reached = new Map<StartupStage, number>();
  return {
    mark: (stage) => {
      if (reached.has(stage)) return;
      const afterMs = Math.round(now() - begun);
      reached.set(stage, afterMs);
      log.info({ stage, afterMs }, 'start-up stage reached');
    },
    reached: () => Object.fromEntries(reached),
  };
}
