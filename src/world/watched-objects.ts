import type { KubeObject } from '../api/kube-object.ts';
import type { TemplateConfig } from '../api/template-config.ts';
import { parseJsonPath } from '../lib/json-path.ts';
import type { World } from './build-world.ts';

/** An object by what people call it. */
export interface NamedObject {
  readonly kind: string;
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
  /** Absent: the kind says enough. Of several versions of one group, any will do. */
  readonly apiVersion?: string;
}

export interface FoundObject {
  /** Of a kind that is stored on demand: its metadata alone. */
  readonly object: KubeObject;
  /** `status` is as the API has it. */
  readonly hasStatus: boolean;
}

/** Finds objects in the stores of the configuration at work. */
export interface WatchedObjects {
  /** O(number of stores). `absent`: such objects are watched, all of them, and there is none of this name; undefined: not known. */
  readonly find: (named: NamedObject) => FoundObject | 'absent' | undefined;
}

export function watchedObjects(current: () => Pick<World, 'config' | 'stores'> | undefined): WatchedObjects {
  /** In which store objects of a kind were seen. */
  const storeOf = new Map<string, string>();
  return {
    find: ({ kind, namespace, name, apiVersion }) => {
      const world = current();
      if (world === undefined) return undefined;
      const group = apiVersion === undefined ? '' : groupOf(apiVersion);
      const key = namespace === '' ? name : `${namespace}/${name}`;
      for (const [resource, store] of world.stores) {
        const object = store.peek(key);
        if (object?.kind !== kind) continue;
        if (apiVersion !== undefined && groupOf(object.apiVersion ?? '') !== group) continue;
        storeOf.set(kind, resource).set(`${group} ${kind}`, resource);
        return { object, hasStatus: keepsStatus(world.config, resource) };
      }
      const resource = storeOf.get(apiVersion === undefined ? kind : `${group} ${kind}`);
      return resource !== undefined && watchesAll(world.config, resource) ? 'absent' : undefined;
    },
  };
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}

type Watching = Pick<TemplateConfig, 'watchedResources' | 'watchedResourcesIgnoreFields'>;

function keepsStatus(
  { watchedResources, watchedResourcesIgnoreFields }: Watching,
  resource: string,
): boolean {
  const watched = watchedResources[resource];
  if (watched === undefined || watched.store === 'on-demand') return false;
  return ![...watchedResourcesIgnoreFields, ...(watched.ignoreFields ?? [])].some((path) => {
    const [first] = parseJsonPath(path);
    return typeof first === 'object' && 'key' in first && first.key === 'status';
  });
}

function watchesAll({ watchedResources }: Watching, resource: string): boolean {
  const watched = watchedResources[resource];
  return (
    watched !== undefined &&
    watched.labelSelector === undefined &&
    watched.fieldSelector === undefined &&
    watched.namespaces === undefined &&
    watched.namespaceSelector === undefined
  );
}
