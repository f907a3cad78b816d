import type { Engine } from './engine.ts';
import { countReaders } from './readers.ts';
import type { GraphStats } from './types.ts';

/** Counts of everything that a graph holds, in the running turn. O(size of the graph). */
export function statsOf(engine: Engine): GraphStats {
  const nodes = engine.nodes.map((node) => ({
    name: node.shape.name,
    kind: node.shape.kind,
    entries: node.values.size,
    records: node.turnMaps.reduce((sum, map) => sum + map.size, 0),
    undo: node.turnMaps.reduce((sum, map) => sum + (map.undo?.size ?? 0), 0),
    readers: countReaders(node.readers),
    reading: node.refs.size,
    looks: [...node.refs.values()].reduce((sum, ref) => sum + ref.deps.length / 2, 0),
    dirty: node.dirty.size,
  }));
  return { nodes, problems: engine.problems.node.values.size, pending: engine.unreads.length };
}
