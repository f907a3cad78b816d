import type { KubeFailure } from './kube-failure.ts';
import { isRecord } from '../lib/is-record.ts';
import { retryAfterMs } from '../lib/retry-after.ts';

const longestMessage = 1024;
/** No server may silence a watch for longer, in milliseconds. */
const longestPause = 5 * 60_000;

/**
 * The failure that a Kubernetes `Status` object describes: the body of an error answer, or the object of an ERROR event
 * in a watch. Anything else (a proxy's HTML page, nothing) gives a failure of that status with the text as message.
 *
 * @param status the HTTP status; 0 for an ERROR event, whose `code` counts
 */
export function statusFailure(
  status: number,
  body: unknown,
  header?: { readonly retryAfter: string | undefined; readonly now: number },
): KubeFailure {
  const object: Readonly<Record<string, unknown>> = isRecord(body) ? body : {};
  const details = isRecord(object['details']) ? object['details'] : {};
  const code = object['code'];
  const seconds = details['retryAfterSeconds'];
  const retry =
    (header === undefined ? undefined : retryAfterMs(header.retryAfter, header.now, longestPause)) ??
    (typeof seconds === 'number' && seconds > 0
      ? retryAfterMs(String(Math.ceil(seconds)), 0, longestPause)
      : undefined);
  return {
    kind: 'http',
    status: status !== 0 ? status : typeof code === 'number' ? code : 500,
    reason: text(object['reason']),
    message: text(object['message']) || text(body) || 'no message',
    ...(retry === undefined ? {} : { retryAfterMs: retry }),
  };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value.trim().slice(0, longestMessage) : '';
}
