import { type MonoTypeOperatorFunction, Observable, Subject, asyncScheduler, map, tap } from 'rxjs';
import { redact } from '../lib/redact.ts';

/**
 * The named arrows of the pipeline. A point costs one reference per value as long as nobody looks: `describe`, which turns a value
 * into plain JSON of bounded size, runs for readers only, and once for all of them. What it makes is redacted here, for every reader.
 */
export interface Taps {
  /** Names the arrow it is put on. The name must be new. Passes everything through untouched, errors included. */
  point<T>(name: string, describe: (value: T) => unknown): MonoTypeOperatorFunction<T>;
  names(): readonly string[];
  /** How many values have passed: the number of the newest. 0 of no such tap. */
  passed(name: string): number;
  /** Like {@link values}, as plain data. */
  watch(name: string): Observable<unknown> | undefined;
  /**
   * Hot: the current value first, if there is one, then every later one. Never completes. `undefined`: no such tap. Loss policy: none
   * here; a slow reader unsubscribes for as long as it is one, and reckons by the numbers what it has lost.
   */
  values(name: string): Observable<TapValue> | undefined;
}

/** A value on its way to readers. */
export interface TapValue {
  readonly tap: string;
  /** Counts the values of this tap, from 1: a gap tells how many were not seen. */
  readonly seq: number;
  /** When it passed: milliseconds of the Unix clock. */
  readonly at: number;
  /** Plain and redacted. Made at the first call and shared by all readers: not to be changed. */
  readonly data: () => unknown;
  /** The same as JSON, on one line. */
  readonly json: () => string;
}

interface Point {
  readonly shown: Subject<TapValue>;
  readonly show: (value: unknown, seq: number, at: number) => TapValue;
  seq: number;
  at: number;
  current?: { readonly value: unknown };
  /** Of the current value, once somebody has looked. */
  currentShown?: TapValue;
}

export function createTaps(): Taps {
  const points = new Map<string, Point>();

  function values(name: string): Observable<TapValue> | undefined {
    const point = points.get(name);
    if (point === undefined) return undefined;
    return new Observable<TapValue>((subscriber) => {
      // Subscribed before: a value that comes while the current one is read follows it.
      const subscription = point.shown.subscribe(subscriber);
      if (point.current !== undefined)
        subscriber.next((point.currentShown ??= point.show(point.current.value, point.seq, point.at)));
      return subscription;
    });
  }

  return {
    point<T>(name: string, describe: (value: T) => unknown): MonoTypeOperatorFunction<T> {
      if (points.has(name)) throw new Error(`tap ${name} exists already`);
      const show = shownBy(name, describe as (value: unknown) => unknown);
      const point: Point = { shown: new Subject(), show, seq: 0, at: 0 };
      points.set(name, point);
      return tap((value) => {
        point.current = { value };
        point.seq += 1;
        point.at = asyncScheduler.now();
        delete point.currentShown;
        if (!point.shown.observed) return;
        point.currentShown = show(value, point.seq, point.at);
        point.shown.next(point.currentShown);
      });
    },
    names: () => [...points.keys()],
    passed: (name) => points.get(name)?.seq ?? 0,
    watch: (name) => values(name)?.pipe(map(({ data }) => data())),
    values,
  };
}

function shownBy(name: string, describe: (value: unknown) => unknown): Point['show'] {
  return (value, seq, at) => {
    let made: { readonly data: unknown } | undefined;
    let line: string | undefined;
    const data = (): unknown => (made ??= { data: redact(describe(value)) }).data;
    return { tap: name, seq, at, data, json: () => (line ??= JSON.stringify(data() ?? null)) };
  };
}
