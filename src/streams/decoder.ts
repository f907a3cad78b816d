import type { ListWatchSignal } from './list-watch-state.ts';

/** Turns the text of one answer into signals for the state machine. */
export interface Decoder {
  /** What one network chunk means; at most a few signals, each with everything of its sort. */
  push(text: string): readonly ListWatchSignal[];
  /** What the end of the answer means. */
  end(): ListWatchSignal;
}

/** Longer than any object an API server stores (etcd's default limit is 1.5 MiB): beyond it the stream is garbage. */
export const longestObjectText = 32 * 1024 * 1024;
