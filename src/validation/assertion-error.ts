import type { Assertion } from '../api/template-config.ts';
import { CodedError } from '../lib/coded-error.ts';

/** An assertion that cannot be judged as it is written. */
export function assertionError(message: string, cause?: unknown): CodedError {
  return new CodedError('HAPTIC_ERR_VALIDATION_ASSERTION', message, cause === undefined ? {} : { cause });
}

/**
 * The text that an assertion of its type needs.
 *
 * @param field of the assertion, for the error: `assertions[0]`
 * @throws CodedError `HAPTIC_ERR_VALIDATION_ASSERTION`
 */
export function requiredField(
  assertion: Assertion,
  name: 'pattern' | 'expected' | 'jsonpath',
  field: string,
): string {
  const value = assertion[name];
  if (value === undefined) throw assertionError(`${field}.${name} is missing: ${assertion.type} needs it`);
  return value;
}
