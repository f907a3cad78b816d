import { Subject, type Subscription, map, merge } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { errorMessage } from '../lib/error-message.ts';
import type { PipelineTiming } from '../pipeline.ts';
import type { RecordedValue } from '../sinks/recording.ts';
import { describeInput, describeTarget, outputLanes } from './describe-lanes.ts';
import type { LaneEvent } from './draw-lanes.ts';
import type { Recording } from './read-recording.ts';
import { inputsOf, laneOf } from './replay-inputs.ts';
import { replayPipeline } from './replay-pipeline.ts';

export interface ReplayResult {
  /** What came in and what came out, in order of time. */
  readonly events: readonly (LaneEvent & { readonly direction: 'in' | 'out' })[];
  /** Plans as they were rendered, of the recording and here. */
  readonly renders: { readonly recorded: readonly string[]; readonly replayed: readonly string[] };
}

/** Milliseconds that go on after the last input: what was put off comes out, too. */
const afterwards = 5_000;

/**
 * Runs a recording through the pipeline in virtual time: hours of it take as long as its renders do.
 *
 * @throws what a stream of the pipeline failed with, which is a bug, or CodedError for a configuration that is not accepted here
 */
export function runReplay(recording: Recording, timing: PipelineTiming): ReplayResult {
  const scheduler = new TestScheduler(() => undefined);
  const events: (LaneEvent & { readonly direction: 'in' | 'out' })[] = [];
  const replayed: string[] = [];
  let failure: { readonly error: unknown } | undefined;

  scheduler.run(() => {
    const value$ = new Subject<RecordedValue>();
    const inputs = inputsOf(value$);
    const replay = replayPipeline(inputs, { capabilities: recording.begin.capabilities, timing });
    const { pipeline, target$ } = replay;
    const note = (direction: 'in' | 'out', lane: string, words: string): void => {
      events.push({ direction, lane, words, at: scheduler.now() });
    };
    const fail = (error: unknown): void => {
      failure ??= { error };
    };
    const running: Subscription = merge(
      target$.pipe(map((target) => ({ lane: 'wanted', words: describeTarget(target) }))),
      ...outputLanes(pipeline),
    ).subscribe({ next: ({ lane, words }) => note('out', lane, words), error: fail });
    running.add(
      pipeline.render$.subscribe({
        next: (outcome) => {
          if (outcome.kind === 'rendered') replayed.push(outcome.bundle.plan.id);
        },
        error: fail,
      }),
    );
    running.add(replay.start());

    for (const entry of recording.entries)
      scheduler.schedule(() => {
        if (failure !== undefined) return;
        try {
          const lane = laneOf[entry.kind];
          if (lane !== undefined) note('in', lane, describeInput(entry));
          value$.next(entry);
        } catch (error) {
          fail(error);
        }
      }, entry.at);
    scheduler.schedule(() => running.unsubscribe(), recording.duration + afterwards);
  });
  if (failure !== undefined)
    throw failure.error instanceof Error ? failure.error : new Error(errorMessage(failure.error));
  return {
    events,
    renders: {
      recorded: recording.entries.flatMap((entry) => (entry.kind === 'render' ? [entry.planId] : [])),
      replayed,
    },
  };
}
