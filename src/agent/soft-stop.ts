import type { Clock } from './clock.ts';

/**
 * That HAProxy is about to be told to end (SIGUSR1, a "soft stop": it takes no more connections, finishes those that it has and exits).
 * From then on its worker's socket refuses, whatever does not get through to a worker ends in a reload, and a master that is reloaded
 * starts another worker, with which it never ends. So nothing is sent to it and nothing is reloaded any more.
 */
export interface SoftStop {
  announce(): void;
  /** Announced, and not withdrawn. */
  isAnnounced(): boolean;
  /** It was announced so long ago that it should have begun: a worker that still answers was not told to end. */
  isOverdue(): boolean;
  /** HAProxy serves on, or is another one: what was announced counts no more. */
  withdraw(): void;
}

/** From the end of a drain to the signal that follows it; generous, since the signal follows at once. */
const overdueMs = 10_000;

export function createSoftStop(clock: Pick<Clock, 'now'>): SoftStop {
  let announcedAt: number | undefined;
  return {
    announce: () => void (announcedAt = clock.now()),
    isAnnounced: () => announcedAt !== undefined,
    isOverdue: () => announcedAt !== undefined && clock.now() - announcedAt >= overdueMs,
    withdraw: () => void (announcedAt = undefined),
  };
}
