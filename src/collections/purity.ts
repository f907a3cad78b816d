import { CodedError } from '../lib/coded-error.ts';
import { equalData } from './equal-data.ts';
import type { Node, Outcome } from './node.ts';
import { sameDeps } from './readers.ts';

/** Test mode: every projector is run twice, the second time in another order, and must give the same both times. */
export interface PurityCheck {
  /** Checks all dirty entries of a node and puts them into a shuffled order. Throws when one is impure. */
  advance(node: Node): void;
}

export function createPurityCheck(seed: number): PurityCheck {
  const random = seededRandom(seed);
  return {
    advance(node) {
      const keys = shuffled([...node.dirty], random);
      const first = new Map(keys.map((key) => [key, node.evaluate(key)]));
      for (const key of shuffled(keys, random)) {
        if (!sameOutcome(node, first.get(key), node.evaluate(key)))
          throw new CodedError(
            'HAPTIC_ERR_COLLECTIONS_IMPURE',
            `the projector of "${node.shape.name}" is impure: two runs for entry "${key}" differ`,
          );
      }
      node.dirty.clear();
      for (const key of keys) node.dirty.add(key);
    },
  };
}

function sameOutcome(node: Node, a: Outcome | undefined, b: Outcome | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return (
    a.failed === b.failed &&
    sameDeps(a.deps, b.deps) &&
    equalData(a.problems, b.problems) &&
    (a.failed || node.sameValue(a.value, b.value))
  );
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const result: T[] = [];
  items.forEach((item, i) => {
    const at = Math.floor(random() * (i + 1));
    result.splice(at, 0, item);
  });
  return result;
}

/** Mulberry32: small, seeded, the same everywhere. */
function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
