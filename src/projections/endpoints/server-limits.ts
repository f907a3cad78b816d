import type { ServerLimits } from '../model.ts';
import type { ServerSettings } from '../policies/server-settings.ts';

/** Undefined: nothing is said of them. */
export function serverLimits({
  maxconnServer: maxconn,
  maxqueueServer: maxqueue,
  slowStart,
}: ServerSettings = {}): ServerLimits | undefined {
  if (maxconn === undefined && maxqueue === undefined && slowStart === undefined) return undefined;
  return {
    ...(maxconn !== undefined && { maxconn }),
    ...(maxqueue !== undefined && { maxqueue }),
    ...(slowStart !== undefined && { slowStart }),
  };
}
