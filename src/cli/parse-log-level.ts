import { CodedError } from '../lib/coded-error.ts';
import { logLevels } from './log-level-option.ts';

/**
 * A level of the log, in any case.
 *
 * @throws CodedError `HAPTIC_ERR_CLI_USAGE` when there is none of this name
 */
export function parseLogLevel(text: string): string {
  const level = text.toLowerCase();
  if (logLevels.some((known) => known === level)) return level;
  throw new CodedError(
    'HAPTIC_ERR_CLI_USAGE',
    `--log-level (or LOG_LEVEL) must be one of ${logLevels.join(', ')}, not "${text}"`,
  );
}
