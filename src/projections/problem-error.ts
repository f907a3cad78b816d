import type { Problem } from '../lib/problem.ts';

/** Thrown by a projector: its entry stays what it was, and this is what is told about it. */
export function problemError(problem: Problem): Error {
  return Object.assign(new Error(problem.message), { problem });
}
