import { asyncScheduler } from 'rxjs';
import type { KubeObject } from '../api/kube-object.ts';
import { equalData } from '../collections/equal-data.ts';
import type { JsonObject, ObjectReference } from '../protocol/declared.ts';
import { type StatusManager, statusManagers } from '../protocol/status-manager.ts';
import type { StatusWish } from './status-book.ts';
import { hasMoreThan, isSaid, isShorter } from './status-compare.ts';
import { overlayParts } from './status-overlay.ts';

/** What a former process has written: for each manager its fields, as `fieldsV1` of `metadata.managedFields` has them below `f:status`. */
export interface OwnStatus {
  readonly target: ObjectReference;
  readonly uid: string;
  readonly fields: ReadonlyMap<StatusManager, unknown>;
}

/** An object as watched; `absent`: there is none; undefined: nobody watches such objects, or not their status. Must be cheap. */
export type LiveStatus = (target: ObjectReference) => KubeObject | 'absent' | undefined;

/** By key of the object; those that were taken in are taken out. */
export type OwnStatuses = Map<string, OwnStatus>;

export type StatusStep =
  | { readonly kind: 'settled' }
  | { readonly kind: 'wait'; readonly milliseconds: number }
  | {
      readonly kind: 'write';
      readonly target: ObjectReference;
      readonly manager: StatusManager;
      /** Absent: to be given up. */
      readonly content?: JsonObject;
      readonly uid?: string;
      /** As it stands there, where that is known. */
      readonly status?: unknown;
    };

type WriteStep = Extract<StatusStep, { kind: 'write' }>;

/** What was written, so that nothing is written twice and everything can be given up. */
export interface StatusMemory {
  /** What is to be done next for an object. O(the parts of its status). */
  next(wish: StatusWish, live: LiveStatus): StatusStep;
  wrote(key: string, step: WriteStep, object: KubeObject): void;
  /** The API takes this and does not keep it: it is no use to write it again. */
  refuse(key: string, step: WriteStep): void;
  forget(key: string): void;
}

interface Known {
  target: ObjectReference;
  uid: string;
  /** By manager: what it wrote last; undefined: a former process did, and it is not known what. */
  readonly managers: Map<StatusManager, JsonObject | undefined>;
  /** Of former processes, until they were looked at. */
  readonly fields: Map<StatusManager, unknown>;
  readonly refused: Map<StatusManager, JsonObject>;
  /** Version that the last write made. */
  version: string;
  /** How often somebody overwrote what was written, and until when it is left at that. */
  contests: number;
  calmUntil: number;
}

/** @param pauses before what somebody overwrote is written again: doubles from `min` to `max` */
export function createStatusMemory(
  own: OwnStatuses,
  pauses: { readonly min: number; readonly max: number },
): StatusMemory {
  const objects = new Map<string, Known>();

  const recall = (key: string): Known | undefined => {
    const former = own.get(key);
    if (former === undefined) return objects.get(key);
    own.delete(key);
    const known = objects.get(key) ?? knownOf(former.target, former.uid);
    for (const [manager, fields] of former.fields) {
      if (known.managers.has(manager)) continue;
      known.managers.set(manager, undefined);
      known.fields.set(manager, fields);
    }
    objects.set(key, known);
    return known;
  };

  const isMissing = (
    known: Known | undefined,
    live: KubeObject | undefined,
    [manager, content]: readonly [StatusManager, JsonObject],
  ): 'no' | 'yes' | 'contested' => {
    const former = known?.managers.get(manager);
    const isWritten = former !== undefined && (former === content || equalData(former, content));
    if (known !== undefined && equalData(known.refused.get(manager), content)) return 'no';
    // Fields that it had and that are left out now go by applying the rest.
    if (former !== undefined && isShorter(content, former)) return 'yes';
    if (known?.fields.has(manager) === true && hasMoreThan(known.fields.get(manager), content)) return 'yes';
    if (live === undefined || (known !== undefined && isOlder(live, known))) return isWritten ? 'no' : 'yes';
    if (isSaid(live['status'], content)) return 'no';
    return isWritten ? 'contested' : 'yes';
  };

  return {
    next: ({ key, target, parts, kept }, live) => {
      let known = recall(key);
      const reference = target ?? known?.target;
      if (reference === undefined) return settled;
      const object = live(reference);
      if (object === 'absent') {
        objects.delete(key);
        return settled;
      }
      const uid = object?.metadata.uid;
      if (known !== undefined && uid !== undefined && known.uid !== '' && known.uid !== uid) {
        // Another object under this name: nothing of ours is there.
        objects.delete(key);
        known = undefined;
      }
      const wished = overlayParts(parts);
      for (const part of wished) {
        const missing = isMissing(known, object, part);
        if (missing === 'no') {
          // It may have been said by a former process: it can be given up in any case.
          known ??= remember(key, reference, uid);
          if (!known.managers.has(part[0])) known.managers.set(part[0], part[1]);
          continue;
        }
        if (missing === 'contested' && known !== undefined) {
          const now = asyncScheduler.now();
          if (known.calmUntil === 0) {
            known.calmUntil = now + Math.min(pauses.max, pauses.min * 2 ** Math.min(known.contests, 30));
            known.contests += 1;
          }
          if (now < known.calmUntil) return { kind: 'wait', milliseconds: known.calmUntil - now };
          known.calmUntil = 0;
        }
        return write(reference, part[0], part[1], uid, object);
      }
      for (const manager of statusManagers) {
        if (known?.managers.has(manager) !== true) continue;
        if (kept.includes(manager) || wished.some(([other]) => other === manager)) continue;
        return write(
          reference,
          manager,
          undefined,
          uid ?? (known.uid === '' ? undefined : known.uid),
          object,
        );
      }
      if (known?.managers.size === 0) objects.delete(key);
      return settled;
    },
    wrote: (key, { target, manager, content }, { metadata }) => {
      const known = objects.get(key) ?? remember(key, target, metadata.uid);
      known.uid = metadata.uid ?? '';
      known.version = metadata.resourceVersion ?? '';
      known.fields.delete(manager);
      known.refused.delete(manager);
      const former = known.managers.get(manager);
      if (content === undefined) known.managers.delete(manager);
      else {
        if (former === undefined || !equalData(former, content)) known.contests = 0;
        known.managers.set(manager, content);
      }
    },
    refuse: (key, { manager, content }) => {
      if (content !== undefined) objects.get(key)?.refused.set(manager, content);
    },
    forget: (key) => {
      objects.delete(key);
      own.delete(key);
    },
  };

  function remember(key: string, target: ObjectReference, uid = ''): Known {
    const known = knownOf(target, uid);
    objects.set(key, known);
    return known;
  }
}

const settled: StatusStep = { kind: 'settled' };

function knownOf(target: ObjectReference, uid: string): Known {
  return {
    target,
    uid,
    managers: new Map(),
    fields: new Map(),
    refused: new Map(),
    version: '',
    contests: 0,
    calmUntil: 0,
  };
}

function write(
  target: ObjectReference,
  manager: StatusManager,
  content: JsonObject | undefined,
  uid: string | undefined,
  object: KubeObject | undefined,
): WriteStep {
  return {
    kind: 'write',
    target,
    manager,
    ...(content !== undefined && { content }),
    ...(uid !== undefined && { uid }),
    ...(object !== undefined && { status: object['status'] }),
  };
}

/** The watch has not brought what was written last. Versions of the API are numbers that grow; where they are none, it has not either. */
function isOlder({ metadata: { resourceVersion = '' } }: KubeObject, { version }: Known): boolean {
  if (version === '' || version === resourceVersion) return false;
  return !isNumber(version) || !isNumber(resourceVersion) || BigInt(resourceVersion) < BigInt(version);
}

function isNumber(version: string): boolean {
  return /^\d{1,20}$/.test(version);
}
