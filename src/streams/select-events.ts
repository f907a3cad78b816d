import { map, type OperatorFunction } from 'rxjs';
import type { KubeObject } from '../api/kube-object.ts';
import type { WatchEvent } from './watch-event.ts';

/**
 * Only the objects that match, each as `shape` makes it: for selections that the API server does not know. One that comes to match
 * is an `apply`, one that does not match any more a `delete`; within a bracket a `delete` takes back what it came as before.
 *
 * `matches` sees the object as the API sent it. Loss policy: none; a `delete` of what never matched is passed on, since nobody
 * here remembers, and is no change for a store.
 */
export function selectEvents(
  matches: ((object: KubeObject) => boolean) | undefined,
  shape: (object: KubeObject) => KubeObject,
): OperatorFunction<WatchEvent, WatchEvent> {
  return map((event) => {
    switch (event.kind) {
      case 'apply':
      case 'init-apply':
        return matches === undefined || matches(event.object)
          ? { kind: event.kind, object: shape(event.object) }
          : { kind: 'delete', object: shape(event.object) };
      case 'delete':
        return { kind: 'delete', object: shape(event.object) };
      default:
        return event;
    }
  });
}
