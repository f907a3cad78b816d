import { CodedError } from '../lib/coded-error.ts';

const pending = Symbol('pending');

/**
 * Thrown by a projector that cannot say anything yet: what it has looked at will change once it can. Its entry stays as it is, or
 * stays away, and nobody is blamed.
 */
export function pendingEntry(what: string): Error {
  const error = new CodedError('HAPTIC_ERR_COLLECTIONS_PENDING', `${what} is not there yet`);
  return Object.assign(error, { [pending]: true });
}

export function isPendingEntry(error: unknown): boolean {
  return error instanceof Error && pending in error;
}
