/** One thing that happened, as plain data that may be shown. */
export interface PastEvent {
  /** Counts up from 1. */
  readonly seq: number;
  /** ISO 8601. */
  readonly at: string;
  readonly type: string;
  /** What belongs together has the same: from a change of an object to the acknowledgement of each pod. */
  readonly correlationId?: string;
  readonly [detail: string]: unknown;
}

export interface EventHistory {
  readonly record: (event: { readonly type: string; readonly id?: string }) => void;
  /** The newest `limit` events, oldest first; of one correlation only, if one is given. */
  readonly last: (limit: number, correlationId?: string) => readonly PastEvent[];
}

/** Remembers the newest `size` events. `now`: milliseconds of the Unix clock. */
export function createEventHistory(size: number, now: () => number): EventHistory {
  const ring: PastEvent[] = [];
  let seq = 0;
  return {
    record: ({ id, ...event }) => {
      const at = new Date(now()).toISOString();
      ring[seq % size] = { seq: ++seq, at, ...event, ...(id !== undefined && { correlationId: id }) };
    },
    last: (limit, correlationId) => {
      const start = seq % size;
      const all = seq > size ? [...ring.slice(start), ...ring.slice(0, start)] : ring;
      const wanted =
        correlationId === undefined ? all : all.filter((event) => event.correlationId === correlationId);
      return wanted.slice(-limit);
    },
  };
}
