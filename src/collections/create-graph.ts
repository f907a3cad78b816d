import { CodedError } from '../lib/coded-error.ts';
import type { Problem } from '../lib/problem.ts';
import { createEngine, nodeOf } from './create-engine.ts';
import { createFork } from './create-fork.ts';
import { createEmitter } from './emitter.ts';
import { commitTurn, dropUnreads, type Engine, markDirty, refuseInProjector, sweep } from './engine.ts';
import { createFlatMapNode } from './flat-map-node.ts';
import { createCollectionHandle, createIndexHandle, createSourceHandle } from './handles.ts';
import { createMapNode } from './map-node.ts';
import { printMermaid } from './mermaid.ts';
import type { Node, NodeKind, NodeShape } from './node.ts';
import { problemsIndex } from './problem-book.ts';
import { createPurityCheck } from './purity.ts';
import { releaseNodes } from './release-nodes.ts';
import { createSlotNode } from './slot-node.ts';
import { createSourceNode } from './source-node.ts';
import { statsOf } from './stats.ts';
import type { Collection, Graph, GraphOptions, Index } from './types.ts';
import { createUnionNode } from './union-node.ts';

/** Makes an empty graph, see {@link Graph}. */
export function createGraph(options: GraphOptions = {}): Graph {
  const handles = new Map<object, number>();
  const engine = createEngine(
    handles,
    options.checkPurity === undefined ? undefined : createPurityCheck(options.checkPurity.seed),
  );
  const problems = createCollectionHandle<Problem>(engine, engine.problems.node);
  handles.set(problems, problemsIndex);
  const emit = createEmitter(engine);
  let revision = 0;
  let releases = 0;
  /** The running turn has nothing left to drop that former ones gave up. */
  let isBegun = false;

  const parts = [() => engine.nodes.map((node) => node.shape)];

  const shapeOf = (
    name: string,
    kind: NodeKind,
    sources: readonly object[] = [],
    reads: readonly (Collection<unknown> | Index<unknown>)[] = [],
  ): NodeShape => {
    refuseInProjector(engine, `"${name}" is made`);
    if (engine.nodes.some((node) => node.shape.name === name))
      throw new CodedError(
        'HAPTIC_ERR_COLLECTIONS_DUPLICATE_NAME',
        `there is already a collection "${name}"`,
      );
    const indexes = (list: readonly object[]) => list.map((handle) => inputOf(engine, handles, name, handle));
    return {
      index: engine.nodes.length,
      name,
      kind,
      sources: indexes(sources),
      reads: new Set(indexes(reads)),
    };
  };

  const attach = <H extends object>(node: Node, handle: H): H => {
    engine.nodes.push(node);
    handles.set(handle, node.shape.index);
    for (const index of new Set(node.shape.sources)) {
      const source = engine.nodes[index];
      source?.children.push(node.shape.index);
      for (const key of source?.values.current.keys() ?? []) markDirty(engine, node.shape.index, key);
    }
    return handle;
  };

  const forkInSlices: Graph['forkInSlices'] = (overlay) => {
    refuseInProjector(engine, 'the graph is forked');
    const made = { revision, releases };
    return createFork(
      engine,
      handles,
      overlay,
      () => made.revision === revision && made.releases === releases,
    );
  };

  return {
    source<V>(name: string, { equal }: { readonly equal?: (a: V, b: V) => boolean } = {}) {
      // The only values that ever reach `equal` are those given to this source.
      const untyped = equal as ((a: unknown, b: unknown) => boolean) | undefined;
      const node = createSourceNode(engine, shapeOf(name, 'source'), untyped);
      return attach(node, createSourceHandle<V>(engine, node));
    },
    mapEntries(name, source, project, derived = {}) {
      const shape = shapeOf(name, 'map', [source], derived.reads);
      const node = createMapNode(engine, shape, {
        source: sourceOf(shape),
        project,
        options: derived,
      });
      return attach(node, createCollectionHandle(engine, node));
    },
    flatMapEntries(name, source, project, derived = {}) {
      const shape = shapeOf(name, 'flatMap', [source], derived.reads);
      const node = createFlatMapNode(engine, shape, {
        source: sourceOf(shape),
        project,
        options: derived,
      });
      return attach(node, createCollectionHandle(engine, node));
    },
    groupEntriesBy(name, source, keyOf) {
      const shape = shapeOf(name, 'group', [source]);
      const slotsOf = (value: never, key: string) => listOf(keyOf(value, key));
      const node = createSlotNode(engine, shape, { source: sourceOf(shape), slotsOf });
      return attach(node, createCollectionHandle(engine, node));
    },
    indexBy(name, source, keysOf) {
      const shape = shapeOf(name, 'index', [source]);
      const node = createSlotNode(engine, shape, { source: sourceOf(shape), slotsOf: keysOf });
      return attach(node, createIndexHandle(engine, node));
    },
    unionEntries(name, ...sources) {
      const node = createUnionNode(engine, shapeOf(name, 'union', sources));
      return attach(node, createCollectionHandle(engine, node));
    },
    get dirty() {
      return engine.open;
    },
    get revision() {
      return revision;
    },
    advance(shouldYield) {
      refuseInProjector(engine, 'the graph is advanced');
      if (!engine.open) return 'finished';
      if (!isBegun && !dropUnreads(engine, shouldYield)) return 'yielded';
      isBegun = true;
      if (!sweep(engine, shouldYield) || !emit.prepare(shouldYield)) return 'yielded';
      const announce = emit.collect();
      commitTurn(engine);
      isBegun = false;
      revision++;
      announce();
      return 'finished';
    },
    problems,
    fork(overlay) {
      const fork = forkInSlices(overlay);
      fork.advance();
      return fork;
    },
    forkInSlices,
    mark: () => engine.nodes.length,
    release(mark) {
      refuseInProjector(engine, 'collections are released');
      releases++;
      releaseNodes(engine, mark);
      for (const [handle, index] of handles) if (index >= mark) handles.delete(handle);
    },
    has: (handle) => handles.has(handle),
    isRead: (collection, key) => nodeOf(engine, handles, collection).readers.byKey.has(key),
    toMermaid: () => printMermaid(parts),
    parts,
    stats: () => statsOf(engine),
  };
}

function inputOf(engine: Engine, handles: ReadonlyMap<object, number>, name: string, handle: object): number {
  const { index } = nodeOf(engine, handles, handle).shape;
  if (index === problemsIndex)
    throw new CodedError('HAPTIC_ERR_COLLECTIONS_PROBLEMS_READ', `"${name}" cannot be derived from problems`);
  return index;
}

function sourceOf(shape: NodeShape): number {
  return shape.sources[0] ?? problemsIndex;
}

function listOf(key: string | undefined): readonly string[] {
  return key === undefined ? [] : [key];
}
