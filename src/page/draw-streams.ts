import type { PageState } from './page-state.ts';
import type { TapEvent } from './tap-event.ts';
import { type Marble, visibleMarbles } from './visible-marbles.ts';

/** Where a marble is on the canvas, in CSS pixels. */
export interface PlacedMarble extends Marble {
  readonly tap: string;
  readonly left: number;
  readonly top: number;
}

const lane = { height: 28, names: 168, radius: 8, axis: 24 };

/** Taps whose lanes are shown, in their order. */
export function shownTaps({ taps, hidden }: Pick<PageState, 'taps' | 'hidden'>): readonly string[] {
  return taps.filter((tap) => !hidden.has(tap));
}

export function heightOf(lanes: number): number {
  return lanes * lane.height + lane.axis;
}

/** The marbles of all lanes, for a canvas so wide, at a time. */
export function placeMarbles(state: PageState, width: number, now: number): readonly PlacedMarble[] {
  const to = state.pausedAt ?? now;
  const from = to - state.span;
  const room = Math.max(1, width - lane.names - 2 * lane.radius);
  const spots = Math.floor(room / (lane.radius + 2));
  return shownTaps(state).flatMap((tap, row) =>
    visibleMarbles(state.lanes.byTap.get(tap) ?? [], { from, to, filter: state.filter, spots }).map(
      (marble) => ({
        ...marble,
        tap,
        left: lane.names + lane.radius + marble.x * room,
        top: row * lane.height + lane.height / 2,
      }),
    ),
  );
}

/** Draws lanes, marbles and the axis of time. Colours are those of the style sheet, so that they follow dark and light. */
export function drawStreams(
  context: CanvasRenderingContext2D,
  state: PageState,
  marbles: readonly PlacedMarble[],
  size: { readonly width: number; readonly height: number },
): void {
  const colour = coloursOf(context.canvas);
  context.clearRect(0, 0, size.width, size.height);
  context.font = '12px ui-monospace, monospace';
  context.textBaseline = 'middle';
  shownTaps(state).forEach((tap, row) => {
    const y = row * lane.height + lane.height / 2;
    context.strokeStyle = colour('--line');
    context.beginPath();
    context.moveTo(lane.names, y);
    context.lineTo(size.width - 6, y);
    context.lineTo(size.width - 10, y - 4);
    context.moveTo(size.width - 6, y);
    context.lineTo(size.width - 10, y + 4);
    context.stroke();
    context.fillStyle = colour('--text');
    context.textAlign = 'right';
    context.fillText(tap, lane.names - 10, y, lane.names - 12);
  });
  context.textAlign = 'center';
  for (const marble of marbles) drawMarble(context, marble, colour, isSelected(marble, state.selected));
  drawAxis(context, state, size, colour);
}

function drawMarble(
  context: CanvasRenderingContext2D,
  { left, top, tone, count }: PlacedMarble,
  colour: (name: string) => string,
  selected: boolean,
): void {
  context.beginPath();
  context.arc(left, top, lane.radius, 0, 2 * Math.PI);
  context.fillStyle = colour(`--${tone}`);
  context.fill();
  context.lineWidth = selected ? 3 : 1;
  context.strokeStyle = colour(selected ? '--focus' : '--edge');
  context.stroke();
  context.lineWidth = 1;
  const mark = count > 1 ? (count > 99 ? '+' : String(count)) : tone === 'bad' ? '!' : '';
  if (mark === '') return;
  context.fillStyle = colour('--on-marble');
  context.fillText(mark, left, top + 0.5, 2 * lane.radius - 2);
}

function drawAxis(
  context: CanvasRenderingContext2D,
  { span }: PageState,
  { width, height }: { readonly width: number; readonly height: number },
  colour: (name: string) => string,
): void {
  context.fillStyle = colour('--muted');
  const room = width - lane.names - 2 * lane.radius;
  for (const part of [0, 0.25, 0.5, 0.75, 1]) {
    const ago = (1 - part) * span;
    const text = ago === 0 ? 'now' : ago < 60_000 ? `−${ago / 1_000} s` : `−${ago / 60_000} min`;
    context.textAlign = part === 1 ? 'right' : 'center';
    context.fillText(text, lane.names + lane.radius + part * room, height - lane.axis / 2);
  }
}

function isSelected({ event }: Pick<Marble, 'event'>, selected: TapEvent | undefined): boolean {
  return selected !== undefined && selected.tap === event.tap && selected.seq === event.seq;
}

/** The marble under a point; undefined: none. */
export function marbleAt(marbles: readonly PlacedMarble[], x: number, y: number): PlacedMarble | undefined {
  return marbles.find(({ left, top }) => Math.hypot(left - x, top - y) <= lane.radius + 2);
}

/** The marble that an arrow key leads to: the next one in the lane, or the nearest one of the lane above or below. */
export function nextMarble(
  marbles: readonly PlacedMarble[],
  selected: TapEvent | undefined,
  key: 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown',
): PlacedMarble | undefined {
  const current = marbles.find((marble) => isSelected(marble, selected));
  if (current === undefined) return marbles.at(-1);
  if (key === 'ArrowLeft' || key === 'ArrowRight') {
    const own = marbles.filter(({ tap }) => tap === current.tap);
    return own[own.indexOf(current) + (key === 'ArrowLeft' ? -1 : 1)] ?? current;
  }
  const others = marbles.filter(({ top }) => (key === 'ArrowUp' ? top < current.top : top > current.top));
  const row = others.reduce(
    (nearest, { top }) => (Math.abs(top - current.top) < Math.abs(nearest - current.top) ? top : nearest),
    Infinity,
  );
  return (
    others
      .filter(({ top }) => top === row)
      .toSorted((a, b) => Math.abs(a.left - current.left) - Math.abs(b.left - current.left))[0] ?? current
  );
}

function coloursOf(element: HTMLElement): (name: string) => string {
  const style = getComputedStyle(element);
  return (name) => style.getPropertyValue(name);
}
