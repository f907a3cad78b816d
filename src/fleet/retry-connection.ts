import { type MonoTypeOperatorFunction, retry, throwError, timer } from 'rxjs';

export interface ConnectionRetry {
  readonly attempts: number;
  /** Milliseconds. */
  readonly delay: number;
}

/** As the agent protocol has it for its client side. */
const protocolRetry: ConnectionRetry = { attempts: 3, delay: 100 };

/** The connection was refused, or it ended under the request: an idle one that the other side had closed, an agent that restarts. */
const passing = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/**
 * Sends a request again whose connection was refused or reset, a few times and soon. Only for requests whose body can be sent again
 * and whose second arrival does no harm: reads, and applies, which are fenced by what the first one would have changed. A
 * request that was not answered in time is not sent again.
 */
export function retryConnection<T>({
  attempts,
  delay,
}: ConnectionRetry = protocolRetry): MonoTypeOperatorFunction<T> {
  return retry({
    count: attempts,
    delay: (error: unknown) => (isPassing(error) ? timer(delay) : throwError(() => error)),
  });
}

/** Errors wrap each other: the outermost says which pod, the innermost why. */
function isPassing(error: unknown): boolean {
  for (let inner = error, depth = 0; inner instanceof Error && depth < 5; inner = inner.cause, depth++)
    if ('code' in inner && passing.has(String(inner.code))) return true;
  return false;
}
