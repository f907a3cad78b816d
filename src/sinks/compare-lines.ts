import { LRUCache } from 'lru-cache';
import type { Observable, Subscription } from 'rxjs';
import { isVersionAtLeast } from '../lib/is-version-at-least.ts';
import { capabilitiesOf } from '../plan/capabilities.ts';
import type { DeliveryReport } from '../protocol/delivery-report.ts';
import type { PipelineLogger } from './log-pipeline.ts';

/** Pods come and go under new names. */
const rememberedPods = 1024;

/**
 * Tells when a pod runs an older line of HAProxy than the one that checks renders, and for which templates are rendered: it may refuse
 * what the check accepts. Once per pod and line, until unsubscribed. A stream's error is for `onError`: it is a bug.
 *
 * @param gateVersion `3.2`, or longer
 */
export function compareLines(
  delivery$: Observable<DeliveryReport>,
  gateVersion: string,
  log: Pick<PipelineLogger, 'warn'>,
  onError: (error: unknown) => void,
): Subscription {
  const gate = lineOf(gateVersion);
  const told = new LRUCache<string, string>({ max: rememberedPods });
  return delivery$.subscribe({
    next: (report) => {
      if (report.kind !== 'acked') return;
      const line = lineOf(report.haproxyVersion);
      if (line === undefined || gate === undefined || isVersionAtLeast(line, gate)) {
        told.delete(report.pod.key);
        return;
      }
      if (told.get(report.pod.key) === line) return;
      told.set(report.pod.key, line);
      log.warn(
        { pod: report.pod.key, haproxy: line, gate },
        'the pod has an older HAProxy than the one that checks: give the controller the oldest of the fleet',
      );
    },
    error: onError,
  });
}

function lineOf(version: string): string | undefined {
  return capabilitiesOf({ version }, []).version;
}
