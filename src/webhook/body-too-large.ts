import { CodedError } from '../lib/coded-error.ts';

/** `what`: larger than, of more than. */
export function bodyTooLarge(what: string): CodedError {
  return new CodedError('HAPTIC_ERR_WEBHOOK_SIZE', `the body is ${what}`);
}
