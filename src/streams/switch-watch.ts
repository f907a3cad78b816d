import { Observable, type OperatorFunction, type Subscription } from 'rxjs';
import type { WatchEvent } from './watch-event.ts';

/**
 * One watch after another as one: when the next begins, the former ends. Each begins with a bracket, so what is known stands
 * until the next has listed everything, and is then swapped. A degradation that the former left behind is over when the next
 * has listed everything, or says something else about itself.
 *
 * Loss policy: what the former would have said later is lost to the list of the next. Never completes unless the source and
 * the last watch do.
 */
export function switchWatch<T>(watch: (value: T) => Observable<WatchEvent>): OperatorFunction<T, WatchEvent> {
  return (source) =>
    new Observable<WatchEvent>((subscriber) => {
      let inner: Subscription | undefined;
      let isSourceDone = false;
      let isDegraded = false;

      const pass = (event: WatchEvent): void => {
        if (event.kind === 'degraded') isDegraded = true;
        else if (event.kind === 'recovered') isDegraded = false;
        else if (event.kind === 'init-done' && isDegraded) {
          isDegraded = false;
          subscriber.next({ kind: 'recovered' });
        }
        subscriber.next(event);
      };
      const begin = (watch$: Observable<WatchEvent>): void => {
        inner?.unsubscribe();
        inner = watch$.subscribe({
          next: pass,
          error: (error: unknown) => subscriber.error(error),
          complete: () => {
            inner = undefined;
            if (isSourceDone) subscriber.complete();
          },
        });
        if (inner.closed) inner = undefined;
      };
      const outer = source.subscribe({
        next: (value) => begin(watch(value)),
        error: (error: unknown) => subscriber.error(error),
        complete: () => {
          isSourceDone = true;
          if (inner === undefined) subscriber.complete();
        },
      });
      return () => {
        outer.unsubscribe();
        inner?.unsubscribe();
      };
    });
}
