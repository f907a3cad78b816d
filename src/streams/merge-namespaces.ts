import { Observable, type Subscription } from 'rxjs';
import type { KubeObject } from '../api/kube-object.ts';
import { objectKey } from './object-key.ts';
import type { DegradedReason, WatchEvent } from './watch-event.ts';

/** What one namespace's watch has said so far. */
interface Watched {
  subscription: Subscription | undefined;
  /** What the namespace holds as far as it was passed on, or will be with the common bracket. */
  objects: Map<string, KubeObject>;
  bracket: Map<string, KubeObject> | undefined;
  synced: boolean;
  trouble: { readonly reason: DegradedReason; readonly message: string } | undefined;
}

/**
 * The watches of several namespaces as one. The first bracket ends when all namespaces of that moment were listed; later a
 * namespace that comes is added when it was listed, one that goes takes its objects with it, and lists of single
 * namespaces come as the changes that they are.
 *
 * Degraded while one of them is (the message names it), absent as soon as one says that the kind is. Loss policy: none. Never
 * completes, errors only if a source does.
 */
export function mergeNamespaces(
  namespaces$: Observable<ReadonlySet<string>>,
  watch: (namespace: string) => Observable<WatchEvent>,
): Observable<WatchEvent> {
  return new Observable<WatchEvent>((subscriber) => {
    const watched = new Map<string, Watched>();
    let isComplete = false;
    let isAbsent = false;
    let told: string | undefined;

    const tellTrouble = (): void => {
      const [first] = [...watched].flatMap(([namespace, { trouble }]) =>
        trouble === undefined ? [] : [{ ...trouble, namespace }],
      );
      const text = first === undefined ? undefined : `${first.reason} ${first.namespace}`;
      if (text === told) return;
      told = text;
      if (first === undefined) subscriber.next({ kind: 'recovered' });
      else
        subscriber.next({
          kind: 'degraded',
          reason: first.reason,
          message: `namespace ${first.namespace}: ${first.message}`,
        });
    };
    const completeIfAll = (version: string): void => {
      if (isComplete || [...watched.values()].some(({ synced }) => !synced)) return;
      isComplete = true;
      isAbsent = false;
      subscriber.next({ kind: 'init' });
      for (const { objects } of watched.values())
        for (const object of objects.values()) subscriber.next({ kind: 'init-apply', object });
      subscriber.next({ kind: 'init-done', resourceVersion: version });
    };
    const takeList = (one: Watched, resourceVersion: string): void => {
      const before = one.objects;
      one.objects = one.bracket ?? new Map<string, KubeObject>();
      one.bracket = undefined;
      one.synced = true;
      if (!isComplete) {
        completeIfAll(resourceVersion);
        return;
      }
      for (const [key, object] of before)
        if (!one.objects.has(key)) subscriber.next({ kind: 'delete', object });
      for (const object of one.objects.values()) subscriber.next({ kind: 'apply', object });
    };
    const onEvent = (namespace: string, one: Watched, event: WatchEvent): void => {
      switch (event.kind) {
        case 'init':
          one.bracket = new Map();
          return;
        case 'init-apply':
          one.bracket?.set(objectKey(event.object), event.object);
          return;
        case 'init-done':
          takeList(one, event.resourceVersion);
          return;
        case 'apply':
          one.objects.set(objectKey(event.object), event.object);
          if (isComplete) subscriber.next(event);
          return;
        case 'delete': {
          const objects = one.bracket ?? one.objects;
          objects.delete(objectKey(event.object));
          if (isComplete && one.bracket === undefined) subscriber.next(event);
          return;
        }
        case 'absent':
          if (!isAbsent) subscriber.next(event);
          isAbsent = true;
          return;
        case 'degraded':
          one.trouble = { reason: event.reason, message: event.message };
          tellTrouble();
          return;
        case 'recovered':
          one.trouble = undefined;
          tellTrouble();
          return;
        case 'retrying':
          subscriber.next({ ...event, message: `namespace ${namespace}: ${event.message}` });
          return;
        case 'empty-unconfirmed':
        case 'malformed':
          subscriber.next(event);
          return;
      }
    };
    const enter = (namespace: string): readonly [string, Watched] => {
      const one: Watched = {
        subscription: undefined,
        objects: new Map(),
        bracket: undefined,
        synced: false,
        trouble: undefined,
      };
      watched.set(namespace, one);
      return [namespace, one];
    };
    const begin = ([namespace, one]: readonly [string, Watched]): void => {
      one.subscription = watch(namespace).subscribe({
        next: (event) => onEvent(namespace, one, event),
        error: (error: unknown) => subscriber.error(error),
      });
    };
    const end = (namespace: string, { subscription, objects }: Watched): void => {
      subscription?.unsubscribe();
      watched.delete(namespace);
      if (isComplete) for (const object of objects.values()) subscriber.next({ kind: 'delete', object });
    };

    const outer = namespaces$.subscribe({
      next: (namespaces) => {
        for (const [namespace, one] of [...watched]) if (!namespaces.has(namespace)) end(namespace, one);
        // All are entered before the first begins: the common bracket waits for each of them.
        const fresh = [...namespaces].filter((namespace) => !watched.has(namespace)).map(enter);
        fresh.forEach(begin);
        tellTrouble();
        completeIfAll('');
      },
      error: (error: unknown) => subscriber.error(error),
    });
    return () => {
      outer.unsubscribe();
      for (const { subscription } of watched.values()) subscription?.unsubscribe();
    };
  });
}
