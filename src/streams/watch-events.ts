import {
  concat,
  defer,
  distinctUntilChanged,
  filter,
  map,
  merge,
  NEVER,
  type Observable,
  of,
  ReplaySubject,
  share,
} from 'rxjs';
import { referenceTo } from '../api/object-reference.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { isSelectableField } from '../kube/selectable-fields.ts';
import { fieldSelectorOf } from '../lib/field-selector.ts';
import { parseJsonPath } from '../lib/json-path.ts';
import { debounceMax } from '../operators/debounce-max.ts';
import { dropFields } from './drop-fields.ts';
import { listWatch, type ListWatchDeps, type ListWatchResource } from './list-watch.ts';
import { mergeNamespaces } from './merge-namespaces.ts';
import type { ResolvedVersion } from './resolve-version.ts';
import { selectEvents } from './select-events.ts';
import { switchWatch } from './switch-watch.ts';
import type { WatchEvent } from './watch-event.ts';
import type { WatchSources } from './watch-sources.ts';
import type { WatchSpec } from './watch-spec.ts';

export interface WatchEventsDeps extends ListWatchDeps {
  /** Needed for `namespaceSelector`. */
  readonly sources?: Pick<WatchSources, 'namespaces'>;
  /** Selected namespaces that have a watch each; of more, the whole cluster is watched. Default 16. */
  readonly namespaceWatches?: number;
}

const defaultNamespaceWatches = 16;
/** Namespaces often come several at a time. */
const namespaceSettleMs = 250;

/**
 * The events of a watched resource in the versions that are resolved for it: what the API cannot select is selected here, fields to
 * be ignored are taken out, and what is stored on demand comes as references.
 *
 * A bracket begins anew with every version. Loss policy: none. Never errors, never completes.
 */
export function watchEvents(
  deps: WatchEventsDeps,
  spec: WatchSpec,
  version$: Observable<ResolvedVersion>,
): Observable<WatchEvent> {
  return version$.pipe(
    switchWatch((resolved): Observable<WatchEvent> => {
      const message = `the API does not serve ${spec.resources} in ${spec.apiVersions.join(', ')}`;
      switch (resolved.kind) {
        case 'served':
          return versionEvents(deps, spec, resolved.apiVersion);
        case 'missing':
          return of({ kind: 'absent', message });
        case 'deleted':
          return of<WatchEvent[]>(
            { kind: 'init' },
            { kind: 'init-done', resourceVersion: '' },
            { kind: 'absent', message: `${message} any more` },
          );
      }
    }),
  );
}

function versionEvents(deps: WatchEventsDeps, spec: WatchSpec, apiVersion: string): Observable<WatchEvent> {
  const isSelectable = (path: string): boolean => isSelectableField(apiVersion, spec.resources, path);
  const server = fieldSelectorOf(spec.fields.terms.filter(({ path }) => isSelectable(path)));
  const client = fieldSelectorOf(spec.fields.terms.filter(({ path }) => !isSelectable(path)));
  const paths = [
    ...client.terms.map(({ path }) => path),
    ...(spec.store.kind === 'on-demand' ? spec.store.indexBy : []),
  ];
  const resource: ListWatchResource = {
    apiVersion,
    resources: spec.resources,
    ...(spec.labelSelector !== '' && { labelSelector: spec.labelSelector }),
    ...(server.text !== '' && { fieldSelector: server.text }),
    ...(spec.store.kind === 'on-demand' && paths.every(isMetadata) && { metadataOnly: true }),
  };
  const matches =
    client.terms.length === 0 ? undefined : (object: KubeObject): boolean => client.matches(object);
  return namespaced(deps, spec, resource).pipe(selectEvents(matches, shapeOf(spec)));
}

function isMetadata(path: string): boolean {
  const [first] = parseJsonPath(path);
  return first !== undefined && first !== 'all' && 'key' in first && first.key === 'metadata';
}

function shapeOf({ store, ignoreFields, name }: WatchSpec): (object: KubeObject) => KubeObject {
  return store.kind === 'on-demand'
    ? referenceTo(store.indexBy)
    : dropFields(ignoreFields, `watchedResources.${name}.ignoreFields`);
}

function namespaced(
  deps: WatchEventsDeps,
  spec: WatchSpec,
  resource: ListWatchResource,
): Observable<WatchEvent> {
  const watch = (namespace: string): Observable<WatchEvent> => listWatch(deps, { ...resource, namespace });
  if (spec.namespaces !== undefined)
    return mergeNamespaces(concat(of(new Set(spec.namespaces)), NEVER), watch);
  if (spec.namespaceSelector === undefined) return listWatch(deps, resource);
  const selected$ = deps.sources?.namespaces(spec.namespaceSelector) ?? NEVER;
  const limit = deps.namespaceWatches ?? defaultNamespaceWatches;
  return defer(() => {
    const shared$ = selected$.pipe(
      share({ connector: () => new ReplaySubject(1), resetOnRefCountZero: true }),
    );
    const names$ = shared$.pipe(
      filter((event) => event.kind === 'namespaces'),
      map(({ names }) => names),
      debounceMax(namespaceSettleMs),
      share({ connector: () => new ReplaySubject(1), resetOnRefCountZero: true }),
    );
    const isFew = (names: ReadonlySet<string>): boolean => names.size <= limit;
    const events$ = names$.pipe(
      distinctUntilChanged((a, b) => isFew(a) && isFew(b)),
      switchWatch((names) =>
        isFew(names)
          ? mergeNamespaces(names$.pipe(filter(isFew)), watch)
          : listWatch(deps, resource).pipe(
              selectEvents(
                ({ metadata }) => names.has(metadata.namespace ?? ''),
                (object) => object,
              ),
            ),
      ),
    );
    return merge(shared$.pipe(filter((event) => event.kind !== 'namespaces')), events$);
  });
}
