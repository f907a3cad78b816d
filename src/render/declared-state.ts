import { editOrderedMap, emptyOrderedMap, type OrderedMap } from '../lib/ordered-map.ts';
import type { Owner } from '../lib/owner.ts';
import type { Problem } from '../lib/problem.ts';
import { referenceKey, type Declared } from '../protocol/declared.ts';
import type { Output } from '../protocol/output.ts';
import { conflictsOf, type Claimed } from './claimed.ts';
import { createClaims, type Claims } from './claims.ts';
import { sameOwner } from './map-state.ts';

/** What outputs declare besides files, as it changes. Of two that declare one thing, the first in print order has it. */
export interface DeclaredState {
  put(base: string, output: Output): void;
  drop(base: string, output: Output): void;
  /** Takes in what changed, O(this). Problems by name, for names whose claims changed. */
  flush(): ReadonlyMap<string, readonly Problem[]>;
  readonly declared: Declared;
}

interface Owned {
  readonly owner: Owner;
  readonly place: string;
}

interface Kind<T extends Owned> {
  readonly claims: Claims<Claimed<T>>;
  readonly keyOf: (item: T) => string;
  readonly conflict: readonly [what: string, reason: string];
}

export function createDeclaredState(): DeclaredState {
  let declared: Declared = {
    resources: emptyOrderedMap(),
    statusPatches: emptyOrderedMap(),
    events: emptyOrderedMap(),
  };
  const resources = kind<NonNullable<Output['resources']>[number]>(
    ({ reference }) => referenceKey(reference),
    ['object', 'ResourceConflict'],
  );
  const statusPatches = kind<NonNullable<Output['statusPatches']>[number]>(
    ({ target }) => referenceKey(target),
    ['status of', 'StatusConflict'],
  );
  const events = kind<NonNullable<Output['events']>[number]>(
    ({ about, reason, message }) => `${referenceKey(about)}\u0000${reason}\u0000${message}`,
    ['event about', 'EventConflict'],
  );

  const walk = (base: string, output: Output, add: boolean): void => {
    claim(resources, `${base}r`, output.resources, add);
    claim(statusPatches, `${base}s`, output.statusPatches, add);
    claim(events, `${base}e`, output.events, add);
  };

  return {
    put: (base, output) => walk(base, output, true),
    drop: (base, output) => walk(base, output, false),
    flush: () => {
      const problems = new Map<string, readonly Problem[]>();
      const next: Declared = {
        resources: settle(resources, declared.resources, problems),
        statusPatches: settle(statusPatches, declared.statusPatches, problems),
        events: settle(events, declared.events, problems),
      };
      const isUnchanged =
        next.resources === declared.resources &&
        next.statusPatches === declared.statusPatches &&
        next.events === declared.events;
      if (!isUnchanged) declared = next;
      return problems;
    },
    get declared() {
      return declared;
    },
  };
}

function kind<T extends Owned>(keyOf: Kind<T>['keyOf'], conflict: Kind<T>['conflict']): Kind<T> {
  return { claims: createClaims(), keyOf, conflict };
}

function claim<T extends Owned>(
  { claims, keyOf }: Kind<T>,
  base: string,
  items: readonly T[] | undefined,
  add: boolean,
): void {
  items?.forEach((item, index) => {
    const rank = base + String(index).padStart(6, '0');
    const { owner, place, ...content } = item;
    const value = { item, content: JSON.stringify(content), owner, place };
    if (add) claims.put(keyOf(item), { rank, value });
    else claims.drop(keyOf(item), rank);
  });
}

function settle<T extends Owned>(
  { claims, conflict: [what, reason] }: Kind<T>,
  held: OrderedMap<T>,
  problems: Map<string, readonly Problem[]>,
): OrderedMap<T> {
  const settled = claims.settle();
  for (const settlement of settled)
    problems.set(`${reason} ${settlement.name}`, conflictsOf(what, reason, settlement));
  return editOrderedMap(
    held,
    settled
      .filter(({ before, after }) => !isSame(before?.value, after?.value))
      .map(({ name, after }) => [name, after?.value.item] as const),
  );
}

/** An equal item stays the same object, so that versions differ in what changed and nothing else. */
function isSame(a: Claimed<Owned> | undefined, b: Claimed<Owned> | undefined): boolean {
  return a?.content === b?.content && a?.place === b?.place && sameOwner(a?.owner, b?.owner);
}
