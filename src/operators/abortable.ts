import { Observable } from 'rxjs';

/**
 * Turns promise-based work into an Observable that can be cancelled: `work` starts on subscription, and unsubscribing
 * aborts the signal it was given.
 *
 * Emits the result and completes, or errors with what the promise was rejected with. After an abort both are ignored,
 * since a cancelled request usually rejects with the abort itself.
 *
 * @example abortable((signal) => client.get('/v1/state', { signal }))
 */
export function abortable<T>(work: (signal: AbortSignal) => Promise<T>): Observable<T> {
  return new Observable<T>((subscriber) => {
    const controller = new AbortController();
    work(controller.signal).then(
      (value) => {
        subscriber.next(value);
        subscriber.complete();
      },
      (error: unknown) => {
        if (!controller.signal.aborted) subscriber.error(error);
      },
    );
    return () => controller.abort();
  });
}
