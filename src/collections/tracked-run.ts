import { CodedError } from '../lib/coded-error.ts';
import { errorMessage } from '../lib/error-message.ts';
import type { Owner } from '../lib/owner.ts';
import type { Problem } from '../lib/problem.ts';
import { boundProblems } from './bound-problems.ts';
import type { Engine } from './engine.ts';
import type { Node, Outcome } from './node.ts';
import { isPendingEntry } from './pending-entry.ts';
import { hasDep, noDeps } from './readers.ts';
import type { Collection, Index, Reader } from './types.ts';

/** What the running projector has looked at and reported so far. */
export interface Frame {
  readonly node: Node;
  readonly deps: (number | string | undefined)[];
  /** Deps as a table, once they are too many for a scan. */
  seen: Map<number, Set<string | undefined>> | undefined;
  readonly problems: Problem[];
}

const scanned = 16;
const noProblems: readonly Problem[] = [];

/** Runs user code with tracking. Its throw becomes a problem of `ownerOf()`, unless the entry is only pending; problems and looks before it are kept. */
export function runTracked(
  engine: Engine,
  node: Node,
  ownerOf: () => Owner,
  body: (reader: Reader) => unknown,
): Outcome {
  const frame: Frame = { node, deps: [], seen: undefined, problems: [] };
  let value: unknown;
  let failed = false;
  engine.frame = frame;
  try {
    value = body(engine.reader);
  } catch (error) {
    failed = true;
    if (!isPendingEntry(error)) frame.problems.push(problemOf(error, node, ownerOf));
  } finally {
    engine.frame = undefined;
  }
  return {
    value,
    failed,
    problems: frame.problems.length === 0 ? noProblems : boundProblems(frame.problems),
    // A copy has no room to grow, and there is one per entry.
    deps: frame.deps.length === 0 ? noDeps : frame.deps.slice(),
  };
}

/** The one Reader of an engine: it serves whichever projector is running. `resolve` knows the handles. */
export function createReader(
  currentFrame: () => Frame | undefined,
  resolve: (handle: object) => Node,
  isWhatIf: boolean,
): Reader {
  const look = (handle: object, key: string | undefined): Node => {
    const frame = currentFrame();
    if (frame === undefined)
      throw new CodedError(
        'HAPTIC_ERR_COLLECTIONS_READER_ESCAPED',
        'a reader is valid only while its projector runs',
      );
    const target = resolve(handle);
    if (!frame.node.shape.reads.has(target.shape.index))
      throw new CodedError(
        'HAPTIC_ERR_COLLECTIONS_UNDECLARED_READ',
        `"${frame.node.shape.name}" reads "${target.shape.name}", which is not among its declared reads`,
      );
    track(frame, target.shape.index, key);
    return target;
  };
  return {
    isWhatIf,
    // A node holds what its handle's type says: the graph makes both together.
    read: <V>(collection: Collection<V>, key: string) => look(collection, key).read(key) as V | undefined,
    readIndex: <V>(index: Index<V>, key: string) => (look(index, key).read(key) ?? []) as readonly V[],
    readKeys: (collection) => look(collection, undefined).sortedKeys.now(),
    report: (problem) => {
      const frame = currentFrame();
      if (frame === undefined)
        throw new CodedError(
          'HAPTIC_ERR_COLLECTIONS_READER_ESCAPED',
          'a reader is valid only while its projector runs',
        );
      frame.problems.push(problem);
    },
  };
}

function track(frame: Frame, node: number, key: string | undefined): void {
  if (frame.deps.length < 2 * scanned) {
    if (!hasDep(frame.deps, node, key)) frame.deps.push(node, key);
    return;
  }
  frame.seen ??= tableOf(frame.deps);
  const keys = frame.seen.get(node) ?? new Set();
  if (keys.has(key)) return;
  frame.seen.set(node, keys.add(key));
  frame.deps.push(node, key);
}

function tableOf(deps: Frame['deps']): Map<number, Set<string | undefined>> {
  const table = new Map<number, Set<string | undefined>>();
  for (let i = 0; i < deps.length; i += 2) {
    const node = deps[i];
    const key = deps[i + 1];
    if (typeof node !== 'number' || typeof key === 'number') continue;
    table.set(node, (table.get(node) ?? new Set()).add(key));
  }
  return table;
}

/** Errors that carry a `problem` speak for themselves; coded ones keep their message; others say where they came from. */
function problemOf(error: unknown, node: Node, ownerOf: () => Owner): Problem {
  if (error instanceof Error && 'problem' in error && isProblem(error.problem)) return error.problem;
  return {
    severity: 'error',
    reason: 'ProjectionFailed',
    field: '',
    message: error instanceof CodedError ? error.message : `${node.shape.name}: ${errorMessage(error)}`,
    owner: ownerOf(),
  };
}

function isProblem(value: unknown): value is Problem {
  return (
    typeof value === 'object' &&
    value !== null &&
    'severity' in value &&
    'reason' in value &&
    'field' in value &&
    'message' in value &&
    'owner' in value
  );
}
