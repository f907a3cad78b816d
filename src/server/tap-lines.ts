import {
  type Observable,
  asyncScheduler,
  concat,
  defer,
  filter,
  ignoreElements,
  map,
  merge,
  tap as doing,
  timer,
} from 'rxjs';
import { debounceMax } from '../operators/debounce-max.ts';
import type { TapValue, Taps } from '../operators/taps.ts';
import type { LineSource } from './stream-lines.ts';

export interface TapLinesOptions {
  readonly names: readonly string[];
  /** Milliseconds: of each tap the newest value once in that time. */
  readonly sample?: number | undefined;
  readonly chunkOf: (value: TapValue) => Uint8Array;
}

/** What a reader has of one tap. */
interface Cursor {
  readonly name: string;
  readonly value$: Observable<TapValue>;
  /** Number of the value that was taken last; those up to it are no loss. */
  seq: number;
  /** When it was taken. */
  at: number;
}

/**
 * Taps for one reader, who may stop reading at any time and begin again: while nobody subscribes there is nothing but a cursor, since values have numbers.
 * Undefined: one of the names is none.
 *
 * Loss policy: what passes between two subscriptions is lost, but for the newest value of each tap. Of a sampled tap the loss is counted in
 * periods, as many as there were values at most: between two of its samples nothing is lost.
 */
export function tapLines(taps: Taps, { names, sample, chunkOf }: TapLinesOptions): LineSource | undefined {
  const opened = asyncScheduler.now();
  const cursors: Cursor[] = [];
  for (const name of names) {
    const value$ = taps.values(name);
    if (value$ === undefined) return undefined;
    // The current value is the first to be taken; a first sample is due at once.
    cursors.push({ name, value$, seq: Math.max(0, taps.passed(name) - 1), at: opened - (sample ?? 0) });
  }

  const lostOf = ({ name, seq, at }: Cursor): number => {
    const values = taps.passed(name) - seq;
    const periods = sample === undefined ? values : Math.floor((asyncScheduler.now() - at) / sample);
    return Math.max(0, Math.min(values, periods) - 1);
  };
  const lost = (): number => cursors.reduce((sum, cursor) => sum + lostOf(cursor), 0);

  const valuesOf = (cursor: Cursor): Observable<TapValue> =>
    defer(() => {
      const fresh$ = cursor.value$.pipe(filter(({ seq }) => seq > cursor.seq));
      if (sample === undefined) return fresh$;
      const sampled$ = fresh$.pipe(debounceMax(sample));
      const wait = cursor.at + sample - asyncScheduler.now();
      return wait > 0 ? concat(timer(wait).pipe(ignoreElements()), sampled$) : sampled$;
    }).pipe(
      doing(({ seq }) => {
        cursor.seq = seq;
        cursor.at = asyncScheduler.now();
      }),
    );

  return {
    chunk$: merge(...cursors.map(valuesOf)).pipe(map(chunkOf)),
    lost,
    skip: () => {
      for (const cursor of cursors) cursor.seq = Math.max(cursor.seq, taps.passed(cursor.name) - 1);
    },
  };
}
