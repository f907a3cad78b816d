import type { Problem } from '../lib/problem.ts';

/** How a parser says what is wrong with the object it reads; whoever calls it knows the owner. */
export type ReportFault = (fault: Fault) => void;

/** A problem without its owner. Severity defaults to `error`. */
export interface Fault {
  readonly reason: string;
  /** Path of the field inside the object, as users write it: `spec.rules[0].host`. */
  readonly field: string;
  readonly message: string;
  readonly severity?: Problem['severity'];
}
