import { TestScheduler } from 'rxjs/testing';
import type { RecordingEntry } from '../sinks/recording.ts';
import { type LaneMarbles, laneMarbles } from './lane-marbles.ts';
import type { Recording } from './read-recording.ts';
import { type InputLane, inputLanes, laneOf } from './replay-inputs.ts';

/** The lanes of a recording that hold anything, as marble diagrams, each symbol a line of its own. */
export type RecordedLanes = Readonly<Partial<Record<InputLane, LaneMarbles<RecordingEntry>>>>;

export function lanesOf(recording: Recording): RecordedLanes {
  return Object.fromEntries(
    inputLanes.flatMap((lane) => {
      const entries = recording.entries.filter(({ kind }) => laneOf[kind] === lane);
      return entries.length === 0
        ? []
        : [[lane, laneMarbles(entries.map((value) => ({ at: value.at, value })))]];
    }),
  );
}

/**
 * The same recording at the times that marble diagrams can tell: what comes within a group comes right after it, and what comes at one
 * time in the order of the lanes.
 */
export function asMarblesTell(recording: Recording): Recording {
  const scheduler = new TestScheduler(() => undefined);
  const entries: RecordingEntry[] = [];
  scheduler.run(({ hot }) => {
    for (const lane of Object.values(lanesOf(recording)))
      hot(lane.marbles, lane.values).subscribe({
        next: (entry) => entries.push({ ...entry, at: scheduler.now() }),
        error: (error: unknown) => {
          throw error;
        },
      });
  });
  return { ...recording, entries, duration: Math.max(recording.duration, entries.at(-1)?.at ?? 0) };
}
