import { CodedError } from '../lib/coded-error.ts';
import { defer, Subject } from 'rxjs';
import { type Engine, putValue, refuseInProjector } from './engine.ts';
import type { Node } from './node.ts';
import type { Collection, Delta, Index, SourceCollection } from './types.ts';

const nobody: readonly never[] = [];

/** What users hold of a node. The node's values are of the handle's type: the graph makes both together. */
export function createCollectionHandle<V>(engine: Engine, node: Node): Collection<V> {
  const refuse = () => {
    refuseInProjector(engine, `"${node.shape.name}" is looked at`);
  };
  return {
    name: node.shape.name,
    get size() {
      refuse();
      return node.values.committedSize;
    },
    peek(key) {
      refuse();
      return node.committed(key) as V | undefined;
    },
    keys() {
      refuse();
      return node.sortedKeys.committed();
    },
    deltas$: defer(() => (node.subject ??= new Subject()) as Subject<readonly Delta<V>[]>),
  };
}

export function createIndexHandle<V>(engine: Engine, node: Node): Index<V> {
  return {
    name: node.shape.name,
    peek(indexKey) {
      refuseInProjector(engine, `"${node.shape.name}" is looked at`);
      return (node.committed(indexKey) ?? nobody) as readonly V[];
    },
  };
}

export function createSourceHandle<V>(engine: Engine, node: Node): SourceCollection<V> {
  const write = (key: string, value: V | undefined) => {
    refuseInProjector(engine, `"${node.shape.name}" is written`);
    if (engine.nodes[node.shape.index] !== node)
      throw new CodedError(
        'HAPTIC_ERR_COLLECTIONS_RELEASED',
        `"${node.shape.name}" was released: it cannot be written`,
      );
    putValue(engine, node, key, value);
  };
  const base = createCollectionHandle<V>(engine, node);
  return Object.defineProperties(
    {
      ...base,
      set: write,
      delete: (key: string) => {
        write(key, undefined);
      },
      replace(entries: Iterable<readonly [string, V]>) {
        const wanted = new Map(entries);
        for (const key of [...node.values.current.keys()]) if (!wanted.has(key)) write(key, undefined);
        for (const [key, value] of wanted) write(key, value);
      },
    },
    { size: { get: () => base.size, enumerable: true } },
  );
}
