import type { Owner } from '../lib/owner.ts';
import type { Problem } from '../lib/problem.ts';
import { type Engine, putValue } from './engine.ts';
import type { Node } from './node.ts';
import { putProblems } from './problem-book.ts';
import { createTurnMap, turnGet, type TurnMap, turnWrite } from './turn-map.ts';

/** Who emits an output key: the bare source key while it is one, all claims in source-key order from the second on. */
type Holders = string | readonly Claim[];

interface Claim {
  readonly source: string;
  readonly value: unknown;
}

export interface ClaimState {
  readonly holders: TurnMap<Holders>;
  /** Problem keys by output key and losing source key. */
  readonly clashes: TurnMap<readonly string[]>;
}

/** Decides which source entry an output key belongs to. */
export interface Claims {
  /** `source` emits `output`. */
  put(output: string, source: string, value: unknown): void;
  /** `source` emits `output` no longer; the next claim in order takes over. */
  drop(output: string, source: string): void;
  readonly state: ClaimState;
}

/**
 * The smallest source key wins, whatever the order of arrival; every loser has a problem of its owner that names the
 * winner, so a change of the winner costs all losers, any other change one.
 */
export function createClaims(
  engine: Engine,
  node: Node,
  ownerOfSource: (source: string) => Owner,
  inherited?: ClaimState,
): Claims {
  const holders = createTurnMap(inherited?.holders);
  const clashes = createTurnMap(inherited?.clashes);

  const report = (output: string, loser: string, winner: string | undefined) => {
    const problems =
      winner === undefined ? [] : [clash(node.shape.name, output, winner, ownerOfSource(loser))];
    putProblems(engine, node, clashes, JSON.stringify([output, loser]), problems);
  };

  const store = (output: string, claims: readonly Claim[], winnerBefore: string, touched: string) => {
    const [winner, ...losers] = claims;
    if (winner === undefined) return;
    turnWrite(holders, output, losers.length === 0 ? winner.source : claims);
    putValue(engine, node, output, winner.value);
    if (winner.source !== winnerBefore) {
      report(output, winner.source, undefined);
      for (const loser of losers) report(output, loser.source, winner.source);
    } else if (touched !== winner.source) {
      const stays = losers.some((loser) => loser.source === touched);
      report(output, touched, stays ? winner.source : undefined);
    }
  };

  return {
    state: { holders, clashes },
    put(output, source, value) {
      const held = turnGet(holders, output);
      if (held === undefined || held === source) {
        if (held === undefined) turnWrite(holders, output, source);
        putValue(engine, node, output, value);
        return;
      }
      const claims =
        typeof held === 'string' ? [{ source: held, value: turnGet(node.values, output) }] : held;
      const at = position(claims, source);
      const known = claims[at]?.source === source;
      store(output, claims.toSpliced(at, known ? 1 : 0, { source, value }), claims[0]?.source ?? '', source);
    },
    drop(output, source) {
      const held = turnGet(holders, output);
      if (held === undefined || typeof held === 'string') {
        if (held !== source) return;
        turnWrite(holders, output, undefined);
        putValue(engine, node, output, undefined);
        return;
      }
      const at = position(held, source);
      if (held[at]?.source !== source) return;
      report(output, source, undefined);
      store(output, held.toSpliced(at, 1), held[0]?.source ?? '', source);
    },
  };
}

/** Where `source` is, or belongs, among claims in order. */
function position(claims: readonly Claim[], source: string): number {
  let low = 0;
  let high = claims.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const candidate = claims[middle];
    if (candidate !== undefined && candidate.source < source) low = middle + 1;
    else high = middle;
  }
  return low;
}

function clash(collection: string, key: string, winner: string, owner: Owner): Problem {
  return {
    severity: 'error',
    reason: 'DuplicateKey',
    field: '',
    message: `"${key}" of ${collection} is already taken by ${winner}`,
    owner,
  };
}
