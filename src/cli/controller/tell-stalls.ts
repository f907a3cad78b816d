import { type Subscription, interval } from 'rxjs';
import type { Logger } from 'pino';
import type { StallWatch } from '../../operators/stall-watch.ts';
import type { Metrics } from '../../sinks/metrics.ts';
import { controllerTiming } from './controller-timing.ts';

export interface TellStallsDeps {
  readonly stalls: Pick<StallWatch, 'stalled' | 'stages'>;
  readonly metrics: Pick<Metrics, 'stalled'>;
  readonly log: Pick<Logger, 'error' | 'info'>;
  readonly onFatal: (error: unknown) => void;
}

/** Looks every 10 s whether a stage is stalled: in a metric, and in the log when it begins and when it is over. */
export function tellStalls({ stalls, metrics, log, onFatal }: TellStallsDeps): Subscription {
  let told = new Set<string>();
  return interval(controllerTiming.stalled.look).subscribe({
    next: () => {
      const now = new Map(stalls.stalled().map(({ stage, for: ms }) => [stage, ms]));
      for (const stage of stalls.stages()) {
        const ms = now.get(stage);
        metrics.stalled.set({ stage }, ms === undefined ? 0 : 1);
        if (ms !== undefined && !told.has(stage))
          log.error({ stage, forMs: ms }, 'a stage of the pipeline is stalled');
        if (ms === undefined && told.has(stage)) log.info({ stage }, 'a stage of the pipeline goes on');
      }
      told = new Set(now.keys());
    },
    error: onFatal,
  });
}
