import type { SlicedFork, SourceEdit } from '../collections/types.ts';
import type { Problem } from '../lib/problem.ts';
import type { Plan } from '../protocol/plan.ts';
import type { Quarantine } from '../protocol/provenance.ts';
import type { Preview } from '../render/preview-outputs.ts';
import type { World } from '../world/build-world.ts';

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
}

/**
 * Renders what `edits` would make of the present objects, in slices, and leaves everything as it is. Held objects stay held but for
 * `subject`: what is wanted to know is what its new state would do. Should the collections move on meanwhile, it begins anew.
 *
 * @throws what the signal says when it is aborted
 */
export async function tryOut(
  { graph, renderer }: Pick<World, 'graph' | 'renderer'>,
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
  for (;;) {
    signal.throwIfAborted();
    const fork = graph.forkInSlices(edits);
    const isDone = await finish(fork, deps, signal);
    if (isDone) {
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

/** False when the graph moved on. */
async function finish(
  fork: SlicedFork,
  { now, pause, sliceMs }: TryOutDeps,
  signal: AbortSignal,
): Promise<boolean> {
  while (fork.isCurrent) {
    const end = now() + sliceMs;
    if (fork.advance(() => now() >= end) === 'finished') return true;
    await pause();
    signal.throwIfAborted();
  }
  return false;
}

function presentPlan(
  graph: World['graph'],
  renderer: World['renderer'],
  held: (present: Quarantine) => Quarantine,
): Plan | undefined {
  return renderer.preview(graph.fork([]), held)?.plan;
}
