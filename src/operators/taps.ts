import { type MonoTypeOperatorFunction, Observable, Subject, map, startWith, tap } from 'rxjs';

/**
 * The named arrows of the pipeline. A point costs one reference per value as long as nobody looks: `describe` (which turns
 * a value into plain, redacted JSON) runs for subscribers only.
 */
export interface Taps {
  /** Names the arrow it is put on. The name must be new. Passes everything through untouched, errors included. */
  point<T>(name: string, describe: (value: T) => unknown): MonoTypeOperatorFunction<T>;
  names(): readonly string[];
  /**
   * Hot: the current value first, if there is one, then every later one, as plain data. Never completes. `undefined`: no
   * such tap. Loss policy: none here; a slow reader drops on its own side.
   */
  watch(name: string): Observable<unknown> | undefined;
}

interface Point {
  readonly values: Subject<unknown>;
  readonly describe: (value: unknown) => unknown;
  current?: { readonly value: unknown };
}

export function createTaps(): Taps {
  const points = new Map<string, Point>();
  return {
    point<T>(name: string, describe: (value: T) => unknown): MonoTypeOperatorFunction<T> {
      if (points.has(name)) throw new Error(`tap ${name} exists already`);
      const point: Point = { values: new Subject(), describe: describe as (value: unknown) => unknown };
      points.set(name, point);
      return tap((value) => {
        point.current = { value };
        if (point.values.observed) point.values.next(value);
      });
    },
    names: () => [...points.keys()],
    watch(name) {
      const point = points.get(name);
      if (point === undefined) return undefined;
      return new Observable<unknown>((subscriber) => {
        const values$ = point.values.pipe(
          point.current === undefined ? (same) => same : startWith(point.current.value),
        );
        return values$.pipe(map((value) => point.describe(value))).subscribe(subscriber);
      });
    },
  };
}
