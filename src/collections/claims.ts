import type { Owner } from '../lib/owner.ts';
import type { Problem } from '../lib/problem.ts';
import { type Engine, putValue } from './engine.ts';
import type { Node } from './node.ts';
import { putProblems } from './problem-book.ts';
import { createTurnMap, turnGet, type TurnMap, turnWrite } from './turn-map.ts';

/** Who emits an output key: the bare source key while it is one, all of them from the second on. */
type Holders = string | ClaimList;

interface ClaimList {
  /** In source-key order; the first one wins. */
  readonly claims: Claim[];
  /** The turn that may change this very list; a later one makes its own. */
  readonly turn: object;
}

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

export interface ClaimRules {
  readonly reported: boolean;
  ownerOfSource(source: string): Owner;
}

/**
 * The smallest source key wins, whatever the order of arrival. Unless duplicates are expected, every loser has a problem
 * of its owner that names the winner; so a change of the winner costs all losers, any other change one.
 */
export function createClaims(engine: Engine, node: Node, rules: ClaimRules, inherited?: ClaimState): Claims {
  const holders = createTurnMap(inherited?.holders);
  const clashes = createTurnMap(inherited?.clashes);

  const report = (output: string, loser: string, winner: string | undefined) => {
    if (!rules.reported) return;
    const problems =
      winner === undefined ? [] : [clash(node.shape.name, output, winner, rules.ownerOfSource(loser))];
    putProblems(engine, node, clashes, JSON.stringify([output, loser]), problems);
  };

  const owned = (output: string, held: Holders): Claim[] => {
    if (typeof held !== 'string' && held.turn === engine.turn) return held.claims;
    const claims =
      typeof held === 'string'
        ? [{ source: held, value: turnGet(node.values, output) }]
        : held.claims.slice();
    turnWrite(holders, output, { claims, turn: engine.turn });
    return claims;
  };

  const reportChange = (
    output: string,
    claims: readonly Claim[],
    before: string | undefined,
    changed: string,
  ) => {
    const [winner, ...losers] = rules.reported ? claims : [];
    if (winner === undefined) return;
    if (winner.source !== before) {
      report(output, winner.source, undefined);
      for (const loser of losers) report(output, loser.source, winner.source);
    } else if (changed !== before) {
      report(output, changed, winner.source);
    }
  };

  return {
    state: { holders, clashes },
    put(output, source, value) {
      const held = turnGet(holders, output);
      if (held === undefined) turnWrite(holders, output, source);
      if (held === undefined || held === source) {
        putValue(engine, node, output, value);
        return;
      }
      const claims = owned(output, held);
      const before = claims[0]?.source;
      const at = position(claims, source);
      claims.splice(at, claims[at]?.source === source ? 1 : 0, { source, value });
      if (at === 0) putValue(engine, node, output, value);
      reportChange(output, claims, before, source);
    },
    drop(output, source) {
      const held = turnGet(holders, output);
      if (held === source) {
        turnWrite(holders, output, undefined);
        putValue(engine, node, output, undefined);
      }
      if (held === undefined || typeof held === 'string') return;
      const claims = owned(output, held);
      const at = position(claims, source);
      if (claims[at]?.source !== source) return;
      claims.splice(at, 1);
      report(output, source, undefined);
      const [winner, second] = claims;
      if (at > 0 || winner === undefined) {
        if (second === undefined) turnWrite(holders, output, winner?.source);
        return;
      }
      putValue(engine, node, output, winner.value);
      reportChange(output, claims, source, source);
      if (second === undefined) turnWrite(holders, output, winner.source);
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
