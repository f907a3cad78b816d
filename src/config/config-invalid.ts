import { CodedError } from '../lib/coded-error.ts';
import { configErrorText, type ConfigError } from './config-error.ts';

/** The refusal of a configuration, `HAPTIC_ERR_CONFIG_INVALID`: one line for each error, and the errors as its cause. */
export function configInvalid(errors: readonly ConfigError[]): CodedError {
  return new CodedError('HAPTIC_ERR_CONFIG_INVALID', errors.map(configErrorText).join('\n'), {
    cause: errors,
  });
}
