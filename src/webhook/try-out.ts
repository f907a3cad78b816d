import { firstValueFrom, merge, take, timer } from 'rxjs';
import type { SlicedFork, SourceEdit } from '../collections/types.ts';
import { CodedError } from '../lib/coded-error.ts';
import type { Problem } from '../lib/problem.ts';
import type { Plan } from '../protocol/plan.ts';
import type { Quarantine } from '../protocol/provenance.ts';
import type { Preview } from '../render/preview-outputs.ts';
import type { World } from '../world/build-world.ts';
import { untilAborted } from './until-aborted.ts';

/** The render with a change that was not made. */
export interface TriedOut {
  readonly preview: Preview;
  /** Problems that the change brings, and that it takes away. */
  readonly before: readonly Problem[];
  readonly after: readonly Problem[];
  /** The render of a later moment without the change, under the same quarantine; undefined in the middle of a turn. */
  readonly present: () => Plan | undefined;
}

export interface TryOutDeps {
  /** Resolves when the event loop has had its turn. */
  readonly pause: () => Promise<void>;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  /** Milliseconds of work between two pauses. */
  readonly sliceMs: number;
  /** Milliseconds for which objects are waited for that are read on demand. */
  readonly readsMs: number;
}

/**
 * Renders what `edits` would make of the present objects, in slices, and leaves everything as it is. Held objects stay held but for
 * `subject`: what is wanted to know is what its new state would do. Should the collections move on meanwhile, it begins anew, in longer slices;
 * so it does when objects are there that were not read before, for a while.
 *
 * @throws what the signal says when it is aborted; CodedError `HAPTIC_ERR_WEBHOOK_OVERDUE` where the collections move on again and again
 */
export async function tryOut(
  { graph, renderer, firstReads }: Pick<World, 'graph' | 'renderer' | 'firstReads'>,
  edits: readonly SourceEdit[],
  subject: string,
  deps: TryOutDeps,
  signal: AbortSignal,
): Promise<TriedOut> {
  const released = (held: Quarantine): Quarantine => {
    if (!held.has(subject)) return held;
    const left = new Map(held);
    left.delete(subject);
    return left;
  };
  const { caches } = firstReads;
  const waitsUntil = deps.now() + deps.readsMs;
  let { sliceMs } = deps;
  let lostMs = 0;
  for (;;) {
    signal.throwIfAborted();
    const fork = graph.forkInSlices(edits);
    const { isDone, workMs } = await finish(fork, { ...deps, sliceMs }, signal);
    if (!isDone) {
      lostMs += workMs;
      if (lostMs > mostLostMs) throw overtaken();
      sliceMs = Math.min(sliceMs * 2, longestSliceMs);
    }
    if (isDone && caches.some(({ waiting }) => waiting > 0) && deps.now() < waitsUntil) {
      await firstValueFrom(
        untilAborted(
          merge(timer(lookEvery), ...caches.map(({ settled$ }) => settled$)).pipe(take(1)),
          signal,
        ),
      );
    } else if (isDone) {
      const conflicts = renderer.problems;
      const preview = renderer.preview(fork, released);
      if (preview !== undefined) {
        const changes = fork.problemChanges;
        const taken = preview.conflicts === conflicts ? [] : conflicts;
        const brought = preview.conflicts === conflicts ? [] : preview.conflicts;
        return {
          preview,
          before: [...changes.flatMap(({ before }) => before ?? []), ...taken],
          after: [...changes.flatMap(({ after }) => after ?? []), ...brought],
          present: () => presentPlan(graph, renderer, released),
        };
      }
    }
    await deps.pause();
  }
}

/** Milliseconds after which what has come is taken in: it need not be everything that somebody waits for. */
const lookEvery = 50;

/** What nobody else may be kept from for longer: the render, above all. */
const longestSliceMs = 16;
/** Work for one object that came to nothing since other objects changed meanwhile. */
const mostLostMs = 2_000;

function overtaken(): CodedError {
  return new CodedError(
    'HAPTIC_ERR_WEBHOOK_OVERDUE',
    `what this object changes takes long to render, and other objects changed again and again meanwhile: given up after ${mostLostMs} ms`,
  );
}

/** Not done when the graph moved on; with the milliseconds of work that it took. */
async function finish(
  fork: SlicedFork,
  { now, pause, sliceMs }: TryOutDeps,
  signal: AbortSignal,
): Promise<{ readonly isDone: boolean; readonly workMs: number }> {
  let workMs = 0;
  while (fork.isCurrent) {
    const begun = now();
    const end = begun + sliceMs;
    const isDone = fork.advance(() => now() >= end) === 'finished';
    workMs += now() - begun;
    if (isDone) return { isDone, workMs };
    await pause();
    signal.throwIfAborted();
  }
  return { isDone: false, workMs };
}

function presentPlan(
  graph: World['graph'],
  renderer: World['renderer'],
  held: (present: Quarantine) => Quarantine,
): Plan | undefined {
  return renderer.preview(graph.fork([]), held)?.plan;
}
