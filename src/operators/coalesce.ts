import { asapScheduler, auditTime, type MonoTypeOperatorFunction } from 'rxjs';

/**
 * Lets a synchronous burst through as its newest value, on the next microtask.
 *
 * Loss policy: latest wins within one burst; the last value is never lost while the source lives (a value still waiting
 * when the source completes is dropped, and sources of this project never complete). Belongs after every
 * `combineLatest`, whose diamonds emit half-updated pairs.
 */
export function coalesce<T>(): MonoTypeOperatorFunction<T> {
  return auditTime(0, asapScheduler);
}
