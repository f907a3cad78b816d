import { type DescribedEvent, type Tone, describeEvent } from './describe-event.ts';
import type { TapEvent } from './tap-event.ts';

/** A marble in a lane: one event, or several that come so close that they stand on one spot. */
export interface Marble extends DescribedEvent {
  /** 0 at the left end of the lane, 1 at the right. */
  readonly x: number;
  /** Of the last one. */
  readonly event: TapEvent;
  readonly count: number;
}

const rank: readonly Tone[] = ['plain', 'good', 'costly', 'bad'];

const described = new WeakMap<TapEvent, DescribedEvent>();
const texts = new WeakMap<TapEvent, string>();

/** The same for as long as the event lives: looked at with every frame. */
function descriptionOf(event: TapEvent): DescribedEvent {
  const made = described.get(event) ?? describeEvent(event);
  described.set(event, made);
  return made;
}

function contains(event: TapEvent, wanted: string): boolean {
  const text = texts.get(event) ?? JSON.stringify(event.value).toLowerCase();
  texts.set(event, text);
  return text.includes(wanted);
}

/**
 * The marbles of a lane that a diagram shows: those between `from` and `to` that contain the text, the worst tone of each spot.
 *
 * @param spots how many marbles fit side by side
 */
export function visibleMarbles(
  events: readonly TapEvent[],
  { from, to, filter, spots }: { from: number; to: number; filter: string; spots: number },
): readonly Marble[] {
  const wanted = filter.trim().toLowerCase();
  const marbles = new Map<number, Marble>();
  // From the newest on: the older ones are mostly out of sight.
  for (let i = events.length - 1; i >= 0; i--) {
    const event = events[i];
    if (event === undefined || event.at > to) continue;
    if (event.at < from) break;
    if (wanted !== '' && !contains(event, wanted)) continue;
    const { tone, words } = descriptionOf(event);
    const x = (event.at - from) / (to - from);
    const spot = Math.floor(x * spots);
    const there = marbles.get(spot);
    if (there === undefined) marbles.set(spot, { x, event, count: 1, tone, words });
    else
      marbles.set(spot, {
        ...there,
        count: there.count + 1,
        tone: rank.indexOf(tone) > rank.indexOf(there.tone) ? tone : there.tone,
      });
  }
  return [...marbles.values()].reverse();
}
