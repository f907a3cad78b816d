/** Something in a lane of a diagram. */
export interface LaneEvent {
  /** Milliseconds. */
  readonly at: number;
  readonly lane: string;
  /** One line for people. */
  readonly words: string;
}

export interface Drawing {
  /** A line per lane, in the order given. */
  readonly diagram: readonly string[];
  /** A line per symbol, in order of time. */
  readonly legend: readonly string[];
}

const symbols = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
/** Gaps are as long as their order of magnitude. */
const longestGap = 6;

/**
 * Marble diagrams of several lanes under one axis of time: a symbol where something happened, `-` for time that passed. Gaps are shortened,
 * and the axis tells the time of what comes after them. What happens in one lane at one time is one symbol in a group, `(ab)`.
 * Symbols begin anew when they are used up; the legend has them in order of time.
 */
export function drawLanes(lanes: readonly string[], events: readonly LaneEvent[]): Drawing {
  const sorted = events
    .map((event, order) => ({ ...event, order }))
    .toSorted((a, b) => a.at - b.at || a.order - b.order)
    .map((event, index) => ({ ...event, symbol: symbols[index % symbols.length] ?? '?' }));
  const width = Math.max(4, ...lanes.map((lane) => lane.length));
  const rows = new Map(lanes.map((lane) => [lane, '']));
  let axis = '';
  let column = 0;
  let before = 0;
  for (const [at, here] of Map.groupBy(sorted, (event) => event.at)) {
    const gap = column === 0 && at === 0 ? 0 : gapOf(at - before);
    const texts = lanes.map((lane) => {
      const text = here.flatMap((event) => (event.lane === lane ? [event.symbol] : [])).join('');
      return { lane, text: text.length > 1 ? `(${text})` : text };
    });
    const length = Math.max(...texts.map(({ text }) => text.length));
    for (const { lane, text } of texts)
      rows.set(lane, `${rows.get(lane) ?? ''}${'-'.repeat(gap)}${text.padEnd(length, '-')}`);
    axis = noted(axis, column + gap, timeOf(at));
    column += gap + length;
    before = at;
  }
  return {
    diagram: [
      `${'time'.padEnd(width)}  ${axis}`,
      ...lanes.map((lane) => `${lane.padEnd(width)}  ${rows.get(lane) ?? ''}-`),
    ],
    legend: sorted.map(
      ({ symbol, at, lane, words }) => `${symbol}  ${timeOf(at).padStart(10)}  ${lane}: ${words}`,
    ),
  };
}

/** Columns of a gap of so many milliseconds. */
function gapOf(ms: number): number {
  return Math.min(longestGap, 1 + Math.floor(Math.log10(Math.max(1, ms))));
}

function timeOf(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)}ms`;
  return `${Number((ms / 1_000).toFixed(3))}s`;
}

/** Puts a text over a column, if there is room for it. */
function noted(axis: string, column: number, text: string): string {
  if (axis.length > 0 && axis.length + 1 > column) return axis;
  return `${axis.padEnd(column)}${text}`;
}
