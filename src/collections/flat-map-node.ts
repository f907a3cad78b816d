import type { Owner } from '../lib/owner.ts';
import type { Problem } from '../lib/problem.ts';
import { type ClaimState, createClaims } from './claims.ts';
import { type Engine, nodeAt, putDeps } from './engine.ts';
import { createNodeState, type Node, type NodeShape, plainAccess } from './node.ts';
import { type EntryOptions, equalityOf, ownerOfEntry } from './entry-options.ts';
import { putProblems } from './problem-book.ts';
import { noDeps } from './readers.ts';
import { runTracked } from './tracked-run.ts';
import { createTurnMap, turnGet, type TurnMap, turnWrite } from './turn-map.ts';
import type { Reader } from './types.ts';

export interface FlatMapDefinition {
  /** Index of the source node. */
  readonly source: number;
  project(value: unknown, key: string, reader: Reader): Iterable<readonly [string, unknown]>;
  readonly options: EntryOptions;
}

/** Keys emitted by one source entry: bare while there is one. */
type Emitted = string | readonly string[];

/** Any number of output entries per source entry. A key emitted by several goes to the smallest source key, see claims.ts. */
export function createFlatMapNode(
  engine: Engine,
  shape: NodeShape,
  definition: FlatMapDefinition,
  parent?: Node,
  inherited?: FlatMapState,
): Node {
  const { options } = definition;
  const equal = equalityOf(options);
  const reported = options.duplicates !== 'expected';
  const source = nodeAt(engine, definition.source);
  const state = createNodeState(shape, parent);
  const emitted = createTurnMap(inherited?.emitted);
  const problemMaps = [state.problems];
  const turnMaps: TurnMap<unknown>[] = [state.values, state.problems, emitted];
  const ownerOfSource = (key: string) => ownerOfEntry(options, shape.name, source.read(key), key);

  const collect = (value: unknown, key: string, reader: Reader): ReadonlyMap<string, unknown> => {
    const outputs = new Map<string, unknown>();
    for (const [output, item] of definition.project(value, key, reader)) {
      if (item === undefined) continue;
      if (!outputs.has(output)) outputs.set(output, item);
      else if (reported) reader.report(repeatedKey(shape.name, output, ownerOfSource(key)));
    }
    return outputs;
  };

  const node: Node = {
    ...state,
    ...plainAccess(state),
    equal,
    sameValue: (a, b) =>
      a instanceof Map &&
      b instanceof Map &&
      a.size === b.size &&
      [...(a as ReadonlyMap<unknown, unknown>)].every(
        ([key, value]) => b.has(key) && equal(value, b.get(key)),
      ),
    evaluate(key) {
      const value = source.read(key);
      if (value === undefined) return undefined;
      return runTracked(
        engine,
        node,
        () => ownerOfSource(key),
        (reader) => collect(value, key, reader),
      );
    },
    apply(key, outcome) {
      putDeps(engine, node, key, outcome?.deps ?? noDeps);
      putProblems(engine, node, state.problems, key, outcome?.problems ?? []);
      if (outcome?.failed === true) return;
      const outputs = outcome === undefined ? none : (outcome.value as ReadonlyMap<string, unknown>);
      for (const output of listOf(turnGet(emitted, key))) if (!outputs.has(output)) claims.drop(output, key);
      for (const [output, value] of outputs) claims.put(output, key, value);
      turnWrite(emitted, key, emittedOf(outputs));
    },
    problemMaps,
    turnMaps,
    fork: (forked) => createFlatMapNode(forked, shape, definition, node, { emitted, claims: claims.state }),
  };
  const claims = createClaims(engine, node, { reported, ownerOfSource }, inherited?.claims);
  turnMaps.push(claims.state.holders, claims.state.clashes);
  problemMaps.push(claims.state.clashes);
  return node;
}

interface FlatMapState {
  readonly emitted: TurnMap<Emitted>;
  readonly claims: ClaimState;
}

const none: ReadonlyMap<string, unknown> = new Map();

function listOf(emitted: Emitted | undefined): readonly string[] {
  if (emitted === undefined) return [];
  return typeof emitted === 'string' ? [emitted] : emitted;
}

function emittedOf(outputs: ReadonlyMap<string, unknown>): Emitted | undefined {
  const keys = [...outputs.keys()];
  return keys.length > 1 ? keys : keys[0];
}

function repeatedKey(collection: string, key: string, owner: Owner): Problem {
  return {
    severity: 'warning',
    reason: 'DuplicateKey',
    field: '',
    message: `emits "${key}" of ${collection} more than once: the first one counts`,
    owner,
  };
}
