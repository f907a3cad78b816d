import { Observable } from 'rxjs';
import type { DegradedReason, WatchEvent } from './watch-event.ts';

/** The namespaces that a selector selects, or what stands in the way of knowing them. */
export type NamespaceEvent =
  | { readonly kind: 'namespaces'; readonly names: ReadonlySet<string> }
  | { readonly kind: 'degraded'; readonly reason: DegradedReason; readonly message: string }
  | { readonly kind: 'recovered' };

/**
 * A watch of selected Namespaces as the set of their names: first when all are known, then whenever the set changes. While they
 * cannot be watched the last set stands.
 *
 * Loss policy: none; a burst gives a set per change. Never errors unless the source does.
 */
export function selectedNamespaces(event$: Observable<WatchEvent>): Observable<NamespaceEvent> {
  return new Observable<NamespaceEvent>((subscriber) => {
    let names: ReadonlySet<string> | undefined;
    let listed: Set<string> | undefined;
    const tell = (next: ReadonlySet<string>): void => {
      names = next;
      subscriber.next({ kind: 'namespaces', names: next });
    };
    const onEvent = (event: WatchEvent): void => {
      switch (event.kind) {
        case 'init':
          listed = new Set();
          return;
        case 'init-apply':
          listed?.add(event.object.metadata.name);
          return;
        case 'init-done': {
          const next = listed ?? new Set<string>();
          listed = undefined;
          if (names === undefined || !isSameSet(names, next)) tell(next);
          return;
        }
        case 'apply':
          if (names?.has(event.object.metadata.name) === false)
            tell(new Set([...names, event.object.metadata.name]));
          return;
        case 'delete':
          if (listed !== undefined) listed.delete(event.object.metadata.name);
          else if (names?.has(event.object.metadata.name) === true)
            tell(new Set([...names].filter((name) => name !== event.object.metadata.name)));
          return;
        case 'degraded':
          subscriber.next({ ...event, message: `namespaces: ${event.message}` });
          return;
        case 'recovered':
          subscriber.next(event);
          return;
        case 'absent':
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

function isSameSet(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((name) => b.has(name));
}
