import { Observable, type OperatorFunction } from 'rxjs';
import type { KubeObject } from '../api/kube-object.ts';
import type { SourceCollection } from '../collections/types.ts';
import { objectKey } from './object-key.ts';
import type { ResourceToken } from './resource-token.ts';
import type { WatchEvent } from './watch-event.ts';

/** What `reflect` writes: a source collection, or anything else that takes the same edits. */
export type ReflectStore = Pick<SourceCollection<KubeObject>, 'set' | 'delete' | 'replace'>;

/** What identifies the object held under a key, and its state. */
interface Held {
  /** The API gives an object in every version the same `resourceVersion`. */
  readonly apiVersion: string | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
}

/**
 * The one writer of a store: keeps it equal to what list+watch says, and says so with tokens.
 *
 * - a bracket `init … init-done` is collected and swapped in at once, so nobody sees half a list
 * - an object with the version already held is no change
 * - a `delete` of another uid than the held one came late and is no change: the object was made anew meanwhile
 *
 * The first token comes when the store is complete or the kind is `absent`; what happens before is not told (the store
 * is not to be used yet). Loss policy: none. Never errors unless the source does.
 */
export function reflect(resource: string, store: ReflectStore): OperatorFunction<WatchEvent, ResourceToken> {
  return (event$) =>
    new Observable<ResourceToken>((subscriber) => {
      let held = new Map<string, Held>();
      let bracket: Map<string, KubeObject> | undefined;
      let ready = false;
      let complete = false;
      let revision = 0;

      const tell = (kind: ResourceToken['kind'], message?: string): void => {
        const token: ResourceToken = { kind, resource, revision };
        subscriber.next(message === undefined ? token : { ...token, message });
      };
      const swap = (objects: ReadonlyMap<string, KubeObject>): boolean => {
        const next = new Map<string, Held>();
        let differs = objects.size !== held.size;
        for (const [key, object] of objects) {
          const now = heldOf(object);
          next.set(key, now);
          differs ||= !isSame(held.get(key), now);
        }
        held = next;
        if (differs || !complete) store.replace(objects);
        return differs;
      };
      const onInitDone = (): void => {
        const differs = swap(bracket ?? new Map<string, KubeObject>());
        bracket = undefined;
        if (complete && !differs) return;
        const kind = complete ? 'changed' : 'synced';
        revision += 1;
        ready = complete = true;
        tell(kind);
      };
      const onApply = (object: KubeObject): void => {
        const key = objectKey(object);
        const now = heldOf(object);
        if (isSame(held.get(key), now)) return;
        held.set(key, now);
        store.set(key, object);
        revision += 1;
        tell('changed');
      };
      const onDelete = (object: KubeObject): void => {
        const key = objectKey(object);
        const known = held.get(key);
        if (known === undefined || isAnother(known, object)) return;
        held.delete(key);
        store.delete(key);
        revision += 1;
        tell('changed');
      };
      const onBracketDelete = (objects: Map<string, KubeObject>, object: KubeObject): void => {
        const key = objectKey(object);
        const known = objects.get(key);
        if (known !== undefined && !isAnother(heldOf(known), object)) objects.delete(key);
      };

      const onEvent = (event: WatchEvent): void => {
        switch (event.kind) {
          case 'init':
            bracket = new Map();
            return;
          case 'init-apply':
            bracket?.set(objectKey(event.object), event.object);
            return;
          case 'init-done':
            onInitDone();
            return;
          case 'apply':
            onApply(event.object);
            return;
          case 'delete':
            if (bracket !== undefined) onBracketDelete(bracket, event.object);
            else onDelete(event.object);
            return;
          case 'absent':
            ready = true;
            tell('absent', event.message);
            return;
          case 'degraded':
            if (ready) tell('degraded', event.message);
            return;
          case 'recovered':
            if (ready) tell('recovered');
            return;
          case 'retrying':
          case 'empty-unconfirmed':
          case 'malformed':
            return;
        }
      };
      return event$.subscribe({
        next: onEvent,
        error: (error: unknown) => subscriber.error(error),
        complete: () => subscriber.complete(),
      });
    });
}

function heldOf({ apiVersion, metadata }: KubeObject): Held {
  return { apiVersion, uid: metadata.uid, resourceVersion: metadata.resourceVersion };
}

function isSame(held: Held | undefined, now: Held): boolean {
  return (
    held !== undefined &&
    held.apiVersion === now.apiVersion &&
    held.uid === now.uid &&
    now.resourceVersion !== undefined &&
    held.resourceVersion === now.resourceVersion
  );
}

function isAnother(held: Held, { metadata }: KubeObject): boolean {
  return held.uid !== undefined && metadata.uid !== undefined && held.uid !== metadata.uid;
}
