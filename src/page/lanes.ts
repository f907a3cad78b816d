import type { TapEvent } from './tap-event.ts';

/** What is kept of the taps. */
export interface Lanes {
  /** In order of time. */
  readonly byTap: ReadonlyMap<string, readonly TapEvent[]>;
  /** Characters of all values. */
  readonly size: number;
}

/** Events of one lane, and characters of the values of all. */
const mostEvents = 2_000;
const mostSize = 48 * 1024 * 1024;

export const noLanes: Lanes = { byTap: new Map(), size: 0 };

/** With one more event; the oldest ones of its lane are forgotten, and those of the fullest lane when all are too large together. */
export function withEvent({ byTap, size }: Lanes, event: TapEvent): Lanes {
  const before = byTap.get(event.tap) ?? [];
  // After a reconnect the current value comes again.
  if (before.at(-1)?.seq === event.seq) return { byTap, size };
  const lanes = new Map(byTap);
  const kept = before.length >= mostEvents ? before.slice(-mostEvents + 1) : before;
  lanes.set(event.tap, [...kept, event]);
  let left = size + event.size - (kept === before ? 0 : sizeOf(before) - sizeOf(kept));
  while (left > mostSize) {
    const [tap, events] = [...lanes].reduce((a, b) => (sizeOf(a[1]) >= sizeOf(b[1]) ? a : b));
    if (events.length < 2) break;
    const half = events.slice(Math.ceil(events.length / 2));
    left -= sizeOf(events) - sizeOf(half);
    lanes.set(tap, half);
  }
  return { byTap: lanes, size: left };
}

function sizeOf(events: readonly TapEvent[]): number {
  return events.reduce((sum, { size }) => sum + size, 0);
}
