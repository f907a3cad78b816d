import type { KubeObject } from '../api/kube-object.ts';
import type { SourceEdit } from '../collections/types.ts';
import { parseLabelSelector } from '../lib/label-selector.ts';
import type { Problem } from '../lib/problem.ts';
import { dropFields } from '../streams/drop-fields.ts';
import { normalizeObject } from '../streams/normalize-object.ts';
import { objectKey } from '../streams/object-key.ts';
import { type WatchSpec, watchSpecOf } from '../streams/watch-spec.ts';
import type { World } from '../world/build-world.ts';
import type { AdmissionRequest } from './admission-request.ts';

/** What a request would change in the stores. */
export interface WatchedEdits {
  /** False: no entry of `watchedResources` is about such objects. */
  readonly isWatched: boolean;
  readonly edits: readonly SourceEdit[];
  /** The object is nothing that a store would take. */
  readonly problem?: Problem;
}

/**
 * Edits of every store whose entry in `watchedResources` is about the request's kind: the object as the watch would deliver it, with
 * the entry's ignored fields left out. An object that does not match the entry's namespaces and selectors is none of its objects,
 * so that one that leaves them is a deletion there, and one that enters them is new.
 *
 * @param namespaceLabels of the object's namespace, for entries with a `namespaceSelector`; undefined when they are not known: then the
 *   webhook's own configuration has kept the API server from asking about others
 */
export function watchedEdits(
  request: AdmissionRequest,
  { config, stores }: Pick<World, 'config' | 'stores'>,
  now: () => Date,
  namespaceLabels?: Readonly<Record<string, string>>,
): WatchedEdits {
  const edits: SourceEdit[] = [];
  let isWatched = false;
  for (const [name, resource] of Object.entries(config.watchedResources)) {
    const spec = watchSpecOf(name, resource, config);
    if (!isAbout(spec, request)) continue;
    isWatched = true;
    const store = stores.get(name);
    if (store === undefined) continue;
    const read = objectOf(request, spec, now, namespaceLabels);
    if (read.problem !== undefined) return { isWatched, edits: [], problem: read.problem };
    const key = objectKey(read.object ?? request.oldObject ?? { metadata: { name: request.name } });
    edits.push({ collection: store, key, value: read.object });
  }
  return { isWatched, edits };
}

function isAbout({ apiVersions, resources }: WatchSpec, request: AdmissionRequest): boolean {
  const { group, version, resource } = request;
  return resources === resource && apiVersions.includes(group === '' ? version : `${group}/${version}`);
}

/** The object as the store would have it; undefined when it would have none. */
function objectOf(
  { object: sent, group, version, kind }: AdmissionRequest,
  spec: WatchSpec,
  now: () => Date,
  namespaceLabels: Readonly<Record<string, string>> | undefined,
): { readonly object?: KubeObject | undefined; readonly problem?: Problem } {
  if (sent === undefined) return {};
  const { name, ignoreFields, labelSelector, fields, namespaces, namespaceSelector = '' } = spec;
  const normalized = normalizeObject(
    { ...sent },
    {
      apiVersion: group === '' ? version : `${group}/${version}`,
      kind,
    },
  );
  if (!normalized.ok) return { problem: normalized.problem };
  const { object } = normalized;
  const { metadata } = object;
  const isSelected =
    parseLabelSelector(labelSelector, `watchedResources.${name}.labelSelector`).matches(metadata.labels) &&
    fields.matches(object) &&
    (namespaces === undefined || namespaces.includes(metadata.namespace ?? '')) &&
    (namespaceLabels === undefined ||
      parseLabelSelector(namespaceSelector, `watchedResources.${name}.namespaceSelector`).matches(
        namespaceLabels,
      ));
  if (!isSelected) return {};
  // The version of what is stored now: with it, the store would take it for what it has already.
  const { resourceVersion: _resourceVersion, ...rest } = metadata;
  const kept = dropFields(
    ignoreFields,
    `watchedResources.${name}.ignoreFields`,
  )({
    ...object,
    metadata: { creationTimestamp: now().toISOString(), ...rest },
  });
  return { object: kept };
}
