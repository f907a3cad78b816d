/** One claim of a name. The least rank has it. */
export interface Claim<T> {
  readonly rank: string;
  readonly value: T;
}

/** What became of a name whose claims changed. */
export interface Settlement<T> {
  readonly name: string;
  readonly before: Claim<T> | undefined;
  readonly after: Claim<T> | undefined;
  /** Claims that do not have it now, in order of rank. */
  readonly others: readonly Claim<T>[];
}

/** Who has which name, and who would have it next: the same whatever the order in which claims came. */
export interface Claims<T> {
  put(name: string, claim: Claim<T>): void;
  drop(name: string, rank: string): void;
  /** Who has the name now. */
  first(name: string): Claim<T> | undefined;
  /** Names whose claims changed since the last call; O(these). */
  settle(): readonly Settlement<T>[];
}

/** `put` and `drop` take O(log claims of the name), and a move of the pointers behind. */
export function createClaims<T>(): Claims<T> {
  /** Of each name, in order of rank. Many can have one name: a certificate that all routes share. */
  const claims = new Map<string, Claim<T>[]>();
  const touched = new Map<string, Claim<T> | undefined>();

  const touch = (name: string): Claim<T>[] => {
    const held = claims.get(name) ?? [];
    if (!touched.has(name)) touched.set(name, held[0]);
    return held;
  };

  return {
    put(name, claim) {
      const held = touch(name);
      if (held.length === 0) claims.set(name, held);
      held.splice(placeOf(claim.rank, held), 0, claim);
    },
    drop(name, rank) {
      const held = touch(name);
      const at = placeOf(rank, held);
      if (held[at]?.rank === rank) held.splice(at, 1);
      if (held.length === 0) claims.delete(name);
    },
    first: (name) => claims.get(name)?.[0],
    settle() {
      const settled = [...touched].map(([name, before]) => {
        const held = claims.get(name) ?? [];
        return { name, before, after: held[0], others: held.slice(1) };
      });
      touched.clear();
      return settled;
    },
  };
}

/** The first place whose rank is not less. */
function placeOf(rank: string, held: readonly Claim<unknown>[]): number {
  let from = 0;
  let to = held.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((held[middle]?.rank ?? '') < rank) from = middle + 1;
    else to = middle;
  }
  return from;
}
