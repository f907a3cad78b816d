/** A value of a lane at its time, milliseconds. */
export interface TimedValue<T> {
  readonly at: number;
  readonly value: T;
}

export interface LaneMarbles<T> {
  /** As RxJS reads it in run mode, one frame a millisecond: `a 118ms (bc)`. */
  readonly marbles: string;
  readonly values: Readonly<Record<string, T>>;
}

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
/** Letters beyond the alphabet, none of which means anything in a marble diagram. */
const moreLetters = 0x4e00;

function laneSymbol(index: number): string {
  return letters[index] ?? String.fromCodePoint(moreLetters + index - letters.length);
}

/**
 * A lane as a marble diagram. Equal values, as `keyOf` has them, share a symbol. What is written takes time in a marble diagram, a frame
 * for each character of a group: a value that would come within that comes right after it, a few milliseconds late.
 */
export function laneMarbles<T>(
  events: readonly TimedValue<T>[],
  keyOf: (value: T) => unknown = (value) => value,
): LaneMarbles<T> {
  const symbols = new Map<unknown, string>();
  const values: Record<string, T> = {};
  const parts: string[] = [];
  let frame = 0;
  for (let i = 0; i < events.length;) {
    const at = Math.max(frame, Math.round(events[i]?.at ?? 0));
    let group = '';
    let size = 0;
    for (; i < events.length && Math.round(events[i]?.at ?? 0) <= at; i++, size++) {
      const event = events[i];
      if (event === undefined) break;
      const key = keyOf(event.value);
      const symbol = symbols.get(key) ?? laneSymbol(symbols.size);
      symbols.set(key, symbol);
      values[symbol] ??= event.value;
      group += symbol;
    }
    const gap = at - frame;
    if (gap > 0) parts.push(gap <= 3 ? '-'.repeat(gap) : `${gap}ms`);
    parts.push(size === 1 ? group : `(${group})`);
    frame = at + (size === 1 ? 1 : size + 2);
  }
  return { marbles: parts.join(' '), values };
}
