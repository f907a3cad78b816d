import { setTimeout as sleep } from 'node:timers/promises';

/** Waits; false when `signal` ended the wait, or was aborted before it. */
export async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  return sleep(ms, true, { signal }).catch(() => false);
}
