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
  /** Names whose claims changed since the last call; O(these). */
  settle(): readonly Settlement<T>[];
}

export function createClaims<T>(): Claims<T> {
  const claims = new Map<string, readonly Claim<T>[]>();
  const touched = new Map<string, Claim<T> | undefined>();

  const touch = (name: string): readonly Claim<T>[] => {
    const held = claims.get(name) ?? [];
    if (!touched.has(name)) touched.set(name, held[0]);
    return held;
  };

  return {
    put(name, claim) {
      const held = touch(name);
      if (held.length === 0) claims.set(name, [claim]);
      else
        claims.set(
          name,
          [...held, claim].sort((a, b) => (a.rank < b.rank ? -1 : 1)),
        );
    },
    drop(name, rank) {
      const left = touch(name).filter((claim) => claim.rank !== rank);
      if (left.length === 0) claims.delete(name);
      else claims.set(name, left);
    },
    settle() {
      const settled = [...touched].map(([name, before]) => {
        const [after, ...others] = claims.get(name) ?? [];
        return { name, before, after, others };
      });
      touched.clear();
      return settled;
    },
  };
}
