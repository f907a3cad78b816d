import type { Collection, Fork } from '../collections/types.ts';
import type { Problem } from '../lib/problem.ts';
import type { Output } from '../protocol/output.ts';
import type { Plan } from '../protocol/plan.ts';
import type { Outputs, Quarantine } from '../protocol/provenance.ts';
import type { HeldOutputs } from './held-outputs.ts';

/** The render as it would be under a what-if of its graph. */
export interface Preview {
  readonly plan: Plan;
  readonly outputs: Outputs;
  /** Names, map keys and files that two owners would claim. */
  readonly conflicts: readonly Problem[];
}

/** The outputs of one slot and where in the text they stand. */
export interface PlacedOutputs {
  readonly base: string;
  readonly outputs: Collection<Output>;
}

export interface PreviewDeps {
  readonly slots: readonly PlacedOutputs[];
  readonly held: HeldOutputs;
  /** Takes in what was printed or taken back. */
  readonly flush: () => void;
  readonly planNow: () => Plan;
  readonly conflicts: () => readonly Problem[];
}

/**
 * Prints what a what-if changes, takes the plan, and takes the print back: what is printed depends on the present outputs alone,
 * so afterwards all is as it was. O(what the what-if changes), and a native pass over the bytes of each file that it changes.
 */
export function previewOutputs(
  { slots, held, flush, planNow, conflicts }: PreviewDeps,
  fork: Pick<Fork, 'changes'>,
  heldInstead: (present: Quarantine) => Quarantine,
): Preview {
  const present = held.quarantine;
  const changes = slots.flatMap(({ base, outputs }) =>
    fork.changes(outputs).map(({ key, before, after }) => ({ place: `${base}${key}\u0000`, before, after })),
  );
  held.hold(heldInstead(present));
  for (const { place, before, after } of changes) held.take(place, before, after);
  try {
    return { plan: planNow(), outputs: held.outputs(), conflicts: conflicts() };
  } finally {
    for (const { place, before, after } of changes) held.take(place, after, before);
    held.hold(present);
    held.flush();
    flush();
  }
}
