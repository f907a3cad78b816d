import { fromEvent, map, type Observable, race, throwError, mergeMap } from 'rxjs';

/** The same stream, which errors with the signal's reason as soon as it is aborted; the work ends then. */
export function untilAborted<T>(work$: Observable<T>, signal: AbortSignal): Observable<T> {
  if (signal.aborted) return throwError(() => signal.reason as unknown);
  const aborted$ = fromEvent(signal, 'abort').pipe(
    mergeMap(() => throwError(() => signal.reason as unknown)),
    map((never): T => never),
  );
  return race(aborted$, work$);
}
