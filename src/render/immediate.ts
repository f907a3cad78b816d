import { Observable } from 'rxjs';

/** One value in the next macrotask after pending I/O, then complete: time for the event loop without a timer's delay. */
export const immediate$ = new Observable<void>((subscriber) => {
  const handle = setImmediate(() => {
    subscriber.next();
    subscriber.complete();
  });
  return () => clearImmediate(handle);
});
