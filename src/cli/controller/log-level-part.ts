import { distinctUntilChanged, map } from 'rxjs';
import type { ControllerPart } from '../../world/controller-runtime.ts';

/** Logs at the level of `logging.level` of the configuration at work; without one, as the process was started. */
export const logLevelPart: ControllerPart = ({ world$, log, onFatal }) => {
  const started = log.level;
  return world$
    .pipe(
      map(({ config }) => (config.logging.level === '' ? started : config.logging.level.toLowerCase())),
      distinctUntilChanged(),
    )
    .subscribe({
      next: (level) => {
        if (level === log.level) return;
        // Before, lest a change to a quieter level goes untold.
        log.info({ level }, 'the log goes on at another level');
        log.level = level;
      },
      error: onFatal,
    });
};
