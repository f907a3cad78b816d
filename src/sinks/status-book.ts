import { diffOrderedMaps, emptyOrderedMap, getEntry, type OrderedMap } from '../lib/ordered-map.ts';
import { formatOwner } from '../lib/owner.ts';
import type { Problem } from '../lib/problem.ts';
import type { Bundle } from '../protocol/bundle.ts';
import {
  type JsonObject,
  type ObjectReference,
  referenceKey,
  type StatusPatch,
  statusPhases,
} from '../protocol/declared.ts';
import type { StatusManager } from '../protocol/status-manager.ts';
import type { DeployedStatuses } from './status-deployed.ts';
import type { StatusPart } from './status-overlay.ts';

/** What the status of one object should say, by field manager. */
export interface StatusWish {
  /** `referenceKey` of the object. */
  readonly key: string;
  /** Absent: nothing is declared of it. */
  readonly target?: ObjectReference;
  /** In order; without contradictions between them resolved. */
  readonly parts: readonly StatusPart<StatusManager>[];
  /** Of these it is not known whether they hold: what stands there stays. */
  readonly kept: readonly StatusManager[];
}

/** Keys of objects whose wish may be another now. */
export type ChangedKeys = Iterable<string>;

/** What templates say of statuses, and which of it holds. */
export interface StatusBook {
  /** O(what it declares otherwise than the one before). */
  readonly takeRender: (bundle: Bundle) => ChangedKeys;
  /** Objects that HAProxy refuses, by `formatOwner`. */
  readonly takeRefused: (owners: ReadonlySet<string>) => ChangedKeys;
  readonly takeDeployed: (deployed: DeployedStatuses) => ChangedKeys;
  /** What pods run is not known any more. */
  readonly forgetDeployed: () => void;
  wish(key: string): StatusWish;
  has(key: string): boolean;
  /** Everything that is declared. */
  keys(): Iterable<string>;
}

const none: OrderedMap<StatusPatch> = emptyOrderedMap();
const unknown: DeployedStatuses = { patches: undefined, isRejected: false };
/** Reasons of problems that mean: the fragment was not run to its end, what it said before stays. */
const renderFailures: ReadonlySet<string> = new Set(['TemplateFailed', 'ProjectionFailed']);

export function createStatusBook(): StatusBook {
  let rendered = none;
  let withheldList: readonly StatusPatch[] = [];
  let withheld: ReadonlyMap<string, StatusPatch> = new Map();
  let problems: readonly Problem[] = [];
  let failing: ReadonlySet<string> = new Set();
  let refused: ReadonlySet<string> = new Set();
  let deployed = unknown;
  /** What was last known to be deployed. */
  let run = none;
  /** Asked for while that was not known. */
  const undecided = new Set<string>();
  /** Of those that say something about failures: keys by owner. */
  const keysOf = new Map<string, Set<string>>();

  const index = (key: string, before: StatusPatch | undefined, after: StatusPatch | undefined): void => {
    if (before !== undefined) {
      const owner = formatOwner(before.owner);
      const keys = keysOf.get(owner);
      keys?.delete(key);
      if (keys?.size === 0) keysOf.delete(owner);
    }
    if (after === undefined || !speaksOfFailures(after)) return;
    const owner = formatOwner(after.owner);
    keysOf.set(owner, (keysOf.get(owner) ?? new Set()).add(key));
  };

  const patchOf = (key: string): StatusPatch | undefined => withheld.get(key) ?? getEntry(rendered, key);

  const ofOwners = function* (before: ReadonlySet<string>, after: ReadonlySet<string>): Generator<string> {
    const changed = [...symmetricDifference(before, after)];
    for (const owner of changed) yield* keysOf.get(owner) ?? [];
    const owners = new Set(changed);
    for (const [key, { owner }] of withheld) if (owners.has(formatOwner(owner))) yield key;
  };

  const contentOf = (key: string, phase: (typeof statusPhases)[number]): JsonObject | undefined => {
    const patch = patchOf(key);
    if (patch === undefined) return undefined;
    const owner = formatOwner(patch.owner);
    switch (phase) {
      case 'rendered':
        return getEntry(rendered, key)?.variants.rendered;
      case 'deployed':
        return deployed.patches && getEntry(deployed.patches, key)?.variants.deployed;
      case 'deployFailed':
        return deployed.isRejected && isBehind(key) ? patch.variants.deployFailed : undefined;
      case 'validateFailed':
        return refused.has(owner) ? patch.variants.validateFailed : undefined;
      case 'renderFailed':
        return failing.has(owner) ? patch.variants.renderFailed : undefined;
    }
  };

  const isBehind = (key: string): boolean =>
    deployed.patches !== undefined && getEntry(deployed.patches, key) !== getEntry(rendered, key);

  return {
    takeRender: ({ statusPatches = none, provenance, problems: present }) => {
      const changed = new Set<string>();
      for (const { key, before, after } of diffOrderedMaps(rendered, statusPatches)) {
        index(key, before, after);
        changed.add(key);
      }
      rendered = statusPatches;
      const list = provenance?.withheldPatches ?? [];
      if (list !== withheldList) {
        const next = new Map(list.map((patch) => [referenceKey(patch.target), patch] as const));
        for (const key of [...withheld.keys(), ...next.keys()]) changed.add(key);
        withheldList = list;
        withheld = next;
      }
      if (present !== problems) {
        problems = present;
        const next = new Set(present.filter(isRenderFailure).map(({ owner }) => formatOwner(owner)));
        for (const key of ofOwners(failing, next)) changed.add(key);
        failing = next;
      }
      return changed;
    },
    takeRefused: (owners) => {
      const changed = [...ofOwners(refused, owners)];
      refused = owners;
      return changed;
    },
    takeDeployed: (next) => {
      const wasRejected = deployed.isRejected;
      deployed = next;
      const changed = new Set<string>();
      if (next.patches !== undefined) {
        for (const { key } of diffOrderedMaps(run, next.patches)) changed.add(key);
        run = next.patches;
        for (const key of undecided) changed.add(key);
        undecided.clear();
      }
      if (wasRejected !== next.isRejected)
        for (const { key } of diffOrderedMaps(rendered, run)) changed.add(key);
      return changed;
    },
    forgetDeployed: () => {
      deployed = unknown;
      run = none;
      undecided.clear();
    },
    wish: (key) => {
      const target = patchOf(key)?.target;
      if (target === undefined) return { key, parts: [], kept: [] };
      if (deployed.patches === undefined) undecided.add(key);
      const parts = statusPhases.flatMap((phase): StatusPart<StatusManager>[] => {
        const content = contentOf(key, phase);
        return content === undefined ? [] : [[`haptic-${phase}`, content]];
      });
      return {
        key,
        target,
        parts,
        kept: deployed.patches === undefined ? ['haptic-deployed', 'haptic-deployFailed'] : [],
      };
    },
    has: (key) => withheld.has(key) || getEntry(rendered, key) !== undefined,
    keys: function* () {
      for (const { key } of diffOrderedMaps(none, rendered)) yield key;
      yield* withheld.keys();
    },
  };
}

function speaksOfFailures({ variants }: StatusPatch): boolean {
  return variants.validateFailed !== undefined || variants.renderFailed !== undefined;
}

function isRenderFailure({ severity, reason }: Problem): boolean {
  return severity === 'error' && renderFailures.has(reason);
}

function* symmetricDifference(a: ReadonlySet<string>, b: ReadonlySet<string>): Generator<string> {
  for (const item of a) if (!b.has(item)) yield item;
  for (const item of b) if (!a.has(item)) yield item;
}
