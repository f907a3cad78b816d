import type { Logger } from 'pino';
import { assertNever } from '../../lib/assert-never.ts';
import type { Metrics } from '../../sinks/metrics.ts';
import type { WatchNotice } from '../../streams/watch-notice.ts';

/** Tells log and metrics what watches say about themselves. */
export function tellWatch(log: Logger, metrics: Metrics): (notice: WatchNotice) => void {
  return (notice) => {
    const { kind, resource, ...fields } = notice;
    switch (kind) {
      case 'degraded':
        metrics.watchDegraded.set({ type: resource }, 1);
        log.warn({ resource, ...fields }, 'watch degraded');
        return;
      case 'malformed':
      case 'empty-unconfirmed':
        log.warn({ resource, ...fields }, `watch ${kind}`);
        return;
      case 'recovered':
      case 'init-done':
        metrics.watchDegraded.set({ type: resource }, 0);
        log.info({ resource, ...fields }, `watch ${kind}`);
        return;
      case 'retrying':
      case 'absent':
        log.info({ resource, ...fields }, `watch ${kind}`);
        return;
      default:
        assertNever(kind);
    }
  };
}
