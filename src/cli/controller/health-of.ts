import type { StalledStage } from '../../operators/stall-watch.ts';
import type { Health } from '../../server/health.ts';

export interface HealthFacts {
  readonly isRunning: () => boolean;
  /** Stages that are at one piece of work for longer than it ever takes. */
  readonly stalled: () => readonly StalledStage[];
  /** Why there is no configuration at work, if there is none. */
  readonly configuration: () => string | undefined;
  /** Kinds that must be there and are not. */
  readonly missing: () => readonly string[];
  /** A render is out. */
  readonly isReleased: () => boolean;
  /** Why there is none, as far as that is known. */
  readonly renderError: () => string | undefined;
}

/** A controller's probes. */
export function healthOf(facts: HealthFacts): Health {
  return {
    live: [
      { name: 'pipeline', failure: () => (facts.isRunning() ? undefined : 'not running') },
      {
        name: 'stages',
        failure: () => {
          const stalled = facts
            .stalled()
            .map(({ stage, for: ms }) => `${stage} for ${Math.round(ms / 1_000)} s`);
          return stalled.length === 0 ? undefined : `stalled: ${stalled.join(', ')}`;
        },
      },
    ],
    ready: [
      { name: 'configuration', failure: facts.configuration },
      {
        name: 'stores',
        failure: () => {
          const missing = facts.missing();
          return missing.length === 0 ? undefined : `waiting for ${missing.join(', ')}`;
        },
      },
      {
        name: 'render',
        failure: () => {
          if (facts.isReleased()) return undefined;
          const error = facts.renderError();
          return `no render was accepted yet${error === undefined ? '' : `: ${error}`}`;
        },
      },
    ],
  };
}
