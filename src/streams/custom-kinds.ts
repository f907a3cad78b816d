import { mergeMap, type OperatorFunction } from 'rxjs';
import type { WatchEvent } from './watch-event.ts';

/** A CustomResourceDefinition came, changed or went. Its name is `<plural>.<group>`. */
export interface CustomKindChange {
  /** `listed`: it was there when the watch began. */
  readonly kind: 'listed' | 'changed' | 'deleted';
  readonly name: string;
}

/**
 * What a watch of CustomResourceDefinitions means for the kinds that they define. A list tells only what differs from what was
 * known before; what it does not have any more was deleted.
 *
 * Loss policy: none. Remembers a name and a version per definition.
 */
export function customKinds(): OperatorFunction<WatchEvent, CustomKindChange> {
  return (event$) => {
    let known = new Map<string, string | undefined>();
    let first = true;
    let listed: Map<string, string | undefined> | undefined;

    const changesOf = (event: WatchEvent): readonly CustomKindChange[] => {
      switch (event.kind) {
        case 'init':
          listed = new Map();
          return [];
        case 'init-apply':
          listed?.set(event.object.metadata.name, event.object.metadata.resourceVersion);
          return [];
        case 'init-done': {
          const now = listed ?? new Map<string, string | undefined>();
          const before = known;
          const kind = first ? ('listed' as const) : ('changed' as const);
          known = now;
          listed = undefined;
          first = false;
          return [
            ...[...now]
              .filter(([name, version]) => !before.has(name) || before.get(name) !== version)
              .map(([name]) => ({ kind, name })),
            ...[...before.keys()]
              .filter((name) => !now.has(name))
              .map((name) => ({ kind: 'deleted' as const, name })),
          ];
        }
        case 'apply':
          known.set(event.object.metadata.name, event.object.metadata.resourceVersion);
          return [{ kind: 'changed', name: event.object.metadata.name }];
        case 'delete': {
          const { name } = event.object.metadata;
          if (listed !== undefined) {
            listed.delete(name);
            return [];
          }
          return known.delete(name) ? [{ kind: 'deleted', name }] : [];
        }
        default:
          return [];
      }
    };
    return event$.pipe(mergeMap(changesOf));
  };
}
