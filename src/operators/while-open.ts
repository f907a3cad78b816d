import {
  type MonoTypeOperatorFunction,
  NEVER,
  type Observable,
  Subject,
  defer,
  distinctUntilChanged,
  switchMap,
  takeUntil,
  tap,
} from 'rxjs';

/**
 * Subscribed to the source only while `open$` says so: what is shut costs the source nothing, and may be shut by what it emits, also
 * while it is being subscribed to. Nothing is emitted before `open$` has said anything.
 *
 * Loss policy: what the source emits while shut is not seen. A source that tells its current value first does so at each opening.
 * Completes with the source; errors pass.
 */
export function whileOpen<T>(open$: Observable<boolean>): MonoTypeOperatorFunction<T> {
  return (source) =>
    defer(() => {
      const completed$ = new Subject<void>();
      const watched$ = source.pipe(tap({ complete: () => completed$.next() }));
      return open$.pipe(
        distinctUntilChanged(),
        switchMap((open) => (open ? watched$ : NEVER)),
        takeUntil(completed$),
      );
    });
}
