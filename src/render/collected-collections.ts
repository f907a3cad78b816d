import type { Collection, Graph } from '../collections/types.ts';
import type { Owner } from '../lib/owner.ts';
import type { Output } from '../protocol/output.ts';

/** An entry of `collected.<name>`: what fragments put under one key. */
export interface CollectedItem {
  readonly key: string;
  /** Of the first fragment in print order. */
  readonly value: unknown;
  readonly values: readonly unknown[];
  /** Of the first fragment, so that what is printed of this is held with its object. */
  readonly owner: Owner;
}

/** The outputs of one forEach, and where they stand. */
export interface Collector {
  readonly base: string;
  readonly outputs: Collection<Output>;
}

interface Emitted {
  readonly key: string;
  readonly value: unknown;
  readonly owner: Owner;
}

/**
 * The collection that fragments fill by `collect`. O(what changed, and the other values of the same keys). All collectors must be
 * in the graph already.
 */
export function collectedCollection(
  graph: Graph,
  name: string,
  collectors: readonly Collector[],
): Collection<CollectedItem> {
  const emitted = collectors.map(({ base, outputs }) =>
    graph.flatMapEntries<Output, Emitted>(
      `collected ${name} from ${base.replaceAll('\u0000', '.')}`,
      outputs,
      (output, entryKey) => emittedBy(output, name, base + entryKey),
    ),
  );
  const [first, ...more] = emitted;
  if (first === undefined) return graph.source(`collected ${name}`);
  const all = more.length === 0 ? first : graph.unionEntries(`collected ${name} of all`, first, ...more);
  const byKey = graph.groupEntriesBy(`collected ${name} by key`, all, ({ key }) => key);
  return graph.mapEntries<readonly Emitted[], CollectedItem>(`collected ${name}`, byKey, (members, key) => {
    const [lead] = members;
    if (lead === undefined) return undefined;
    return { key, value: lead.value, values: members.map(({ value }) => value), owner: lead.owner };
  });
}

/** Keys sort as the fragments print, so that the first of a group is the first in print order. */
function emittedBy({ collected = [], owner }: Output, name: string, place: string): [string, Emitted][] {
  if (owner === undefined) return [];
  return collected.flatMap(({ collection, key, value }, index): [string, Emitted][] =>
    collection === name ? [[`${place}\u0000${String(index).padStart(6, '0')}`, { key, value, owner }]] : [],
  );
}
