import type { Observable } from 'rxjs';

/** The term of leadership that every apply is fenced by: pods refuse an author whose epoch is older than the last they saw. */
export interface LeaderEpoch {
  /** A new term has a higher number. */
  readonly current: () => number;
  /** Whether the term goes on, by this process's own clock: what is about to leave must not leave after it. */
  readonly isHeld: () => boolean;
  /**
   * A pod has seen `floor`, which is above `current()`. Emits once and completes: `reclaimed`, the counter had regressed and is
   * above `floor` now; or `foreign`, another leader is behind it, and nothing more may be written. Never errors.
   */
  readonly reclaim: (floor: number) => Observable<'reclaimed' | 'foreign'>;
}
