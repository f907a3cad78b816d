import type { Slices } from '../lib/slices.ts';
import { noQuarantine, type Outputs } from '../protocol/provenance.ts';
import { ownersInSlices } from './owners-in-slices.ts';
import { emptyQuarantine, type QuarantineEntry, type QuarantineState } from './quarantine-state.ts';

export interface CarryOver {
  /** `Provenance.generation` of the configuration that is to come. */
  readonly generation: object;
  /** The outputs of these objects (`formatOwner`), at the places of the configuration that is to come. */
  readonly translate: (outputs: Outputs, owners: ReadonlySet<string>) => Outputs;
  /** Outputs of the render that HAProxy accepted last, under the present configuration. */
  readonly accepted: Outputs | undefined;
}

/**
 * What the quarantine of one configuration means for the next. Objects that are held stay held, at what they printed last under
 * the former templates: HAProxy says whether that still fits. Where it has no place any more, they are let in with what they say now.
 * All others that were served must be served by the new configuration too: for its sake nobody is left out.
 */
export function* carryOver(
  former: QuarantineState,
  { generation, translate, accepted }: CarryOver,
): Slices<QuarantineState> {
  const byVersion = new Map<Outputs, Set<string>>();
  for (const [key, { at }] of former.entries) byVersion.set(at, (byVersion.get(at) ?? new Set()).add(key));
  const entries = new Map<string, QuarantineEntry>();
  for (const [at, keys] of byVersion) {
    const translated = translate(at, keys);
    const found = yield* ownersInSlices(translated);
    for (const [key, entry] of former.entries) {
      if (!keys.has(key)) continue;
      // What was refused under other templates may pass under these.
      const untried = { ...entry, at: translated, refused: new Set<string>() };
      if (entry.kind === 'excluded' || found.has(key)) entries.set(key, untried);
    }
  }
  const served = accepted === undefined ? new Set(former.served) : yield* ownersInSlices(accepted);
  for (const key of former.entries.keys()) served.delete(key);
  return {
    ...emptyQuarantine,
    generation,
    entries,
    quarantine: entries.size === 0 ? noQuarantine : entries,
    served,
  };
}
