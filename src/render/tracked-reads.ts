import type { KubeObject } from '../api/kube-object.ts';
import type { WatchedResource } from '../api/template-config.ts';
import type { Collection, Graph, Index, Reader } from '../collections/types.ts';
import { hideValues } from '../lib/hide-values.ts';
import { valuesOfSecret } from '../lib/values-of-secret.ts';
import type { HttpWant } from '../protocol/http-content.ts';
import type { HttpReads } from './http-reads.ts';
import { onDemandReads, type OnDemandResource } from './on-demand-reads.ts';
import { errorMessage } from '../lib/error-message.ts';
import { jsonPath } from '../lib/json-path.ts';
import { renderError } from '../templates/render-fault.ts';
import type { TrackedReads } from '../templates/run.ts';
import type { LookupUse } from '../templates/vocabulary.ts';

/** Makes the reads of one slot: the nodes they look at, and the lookups bound to a running projector. */
export interface ReadsOfSlot {
  readonly nodes: readonly (Collection<unknown> | Index<unknown>)[];
  bind(reader: Reader, warn: TrackedReads['warn']): BoundReads;
}

export interface BoundReads extends TrackedReads {
  /** An item of a collection as templates see it: whole, where the collection holds references. */
  readonly item: (collection: string, value: unknown) => unknown;
  /** What a read needs is not there yet: the run has failed for no other reason, and is run again when it is. */
  readonly isPending: () => boolean;
  /** The item that made these reads is done. */
  readonly done: () => void;
  /** Words about the item, without values of the Secrets that it read. */
  readonly hide: (words: string) => string;
  /** The item that made these reads has failed, for this reason where it is known. */
  readonly failed: (reason: string | undefined) => void;
}

/** What can be looked up besides watched resources. */
export interface OtherReads {
  /** Collections by their name, entries by their key: `backends`, `collected.colors`; undefined for any other name. */
  readonly collection: (name: string) => Collection<unknown> | undefined;
  /** What the render is for, by name; what is not there is as `contextDefaults` says. */
  readonly context: Collection<unknown>;
}

/** A render for real, that nobody asked for. */
const contextDefaults: Readonly<Record<string, unknown>> = { renderMode: 'reconcile' };

const byNamespaceAndName = ['metadata.namespace', 'metadata.name'];

/**
 * Lookups over watched resources. An index is made for each resource and number of keys that a template uses, and shared by
 * all slots; with the default `indexBy`, a lookup with both keys needs none. Keys are those of `indexBy`, in its order; fewer
 * keys than it has select by the first ones.
 */
export function createTrackedReads(
  graph: Graph,
  resources: Readonly<Record<string, Collection<KubeObject>>>,
  watched: Readonly<Record<string, WatchedResource>>,
  others: OtherReads,
  http?: HttpReads,
  onDemand: Readonly<Record<string, OnDemandResource>> = {},
): (uses: readonly LookupUse[], slotCollection?: string) => ReadsOfSlot {
  const indexes = new Map<string, Index<KubeObject>>();

  const collectionOf = (resource: string): Collection<KubeObject> => {
    const collection = resources[resource];
    if (collection === undefined) throw new RangeError(`there is no resource ${resource}`);
    return collection;
  };

  const otherOf = (name: string): Collection<unknown> | undefined =>
    resources[name] === undefined ? others.collection(name) : undefined;

  const isByName = (resource: string, keys: number): boolean => {
    const paths = watched[resource]?.indexBy ?? byNamespaceAndName;
    return keys === 2 && paths.length === 2 && paths.every((path, i) => path === byNamespaceAndName[i]);
  };

  const indexOf = (resource: string, keys: number): Index<KubeObject> => {
    const name = `render index ${resource} ${keys}`;
    let index = indexes.get(name);
    if (index === undefined) {
      const paths = (watched[resource]?.indexBy ?? byNamespaceAndName).slice(0, keys).map(jsonPath);
      index = graph.indexBy(name, collectionOf(resource), (object) =>
        indexKeysOf(paths.map((path) => path(object))),
      );
      indexes.set(name, index);
    }
    return index;
  };

  const arrivalsOf = (resource: string | undefined): ReadsOfSlot['nodes'] => {
    const found = resource === undefined ? undefined : onDemand[resource];
    return found === undefined ? [] : [found.arrivals];
  };

  return (uses, slotCollection) => ({
    nodes: arrivalsOf(slotCollection === undefined ? undefined : resourceOf(slotCollection)).concat(
      uses.flatMap(({ helper, resource, keys }): ReadsOfSlot['nodes'] => {
        if (helper === 'http') return http === undefined ? [] : [http.contents];
        if (helper === 'context') return [others.context];
        if (helper === 'collect') return [];
        const other = otherOf(resource);
        if (other !== undefined) return [other];
        return [
          helper === 'fetch' || keys === 0 || isByName(resource, keys)
            ? collectionOf(resource)
            : indexOf(resource, keys),
          ...arrivalsOf(resource),
        ];
      }),
    ),
    bind: (reader, warn) => {
      const secrets = new Set<KubeObject>();
      const hide = (words: string): string =>
        secrets.size === 0 ? words : hideValues(words, [...secrets].flatMap(valuesOfSecret));
      const demand = onDemandReads(reader, onDemand, (warning) =>
        warn({ ...warning, message: hide(warning.message) }),
      );
      const whole = (resource: string, objects: readonly KubeObject[]): readonly KubeObject[] => {
        const found = demand.whole(resource, objects);
        for (const object of found) if (object.kind === 'Secret') secrets.add(object);
        return found;
      };
      const read = (resource: string, key: string): KubeObject | undefined => {
        const object = reader.read(collectionOf(resource), key);
        return object && whole(resource, [object])[0];
      };
      let urls: Set<string> | undefined;
      const readHttp =
        ({ contents, want, absent }: HttpReads) =>
        (wanted: HttpWant) => {
          const key = want(wanted, reader.isWhatIf);
          (urls ??= new Set()).add(key);
          return reader.read(contents, key) ?? absent;
        };
      const found = (resource: string, keys: readonly string[]): readonly unknown[] => {
        const other = otherOf(resource);
        if (other !== undefined) {
          const wanted = keys.length === 0 ? reader.readKeys(other) : keys;
          return wanted.map((key) => reader.read(other, key)).filter((entry) => entry !== undefined);
        }
        if (keys.length === 0) {
          const collection = collectionOf(resource);
          const objects = reader.readKeys(collection).map((key) => reader.read(collection, key));
          return whole(
            resource,
            objects.filter((object) => object !== undefined),
          );
        }
        if (!isByName(resource, keys.length))
          return whole(resource, reader.readIndex(indexOf(resource, keys.length), joined(keys)));
        const object = read(resource, keys.join('/'));
        return object === undefined ? [] : [object];
      };
      return {
        list: found,
        single: (resource, keys) => {
          const objects = found(resource, keys);
          if (objects.length > 1)
            throw new RangeError(`${objects.length} ${resource} match ${keys.join('/')}, one is expected`);
          return objects[0];
        },
        fetch: (resource, keys) => {
          const other = otherOf(resource);
          return other === undefined ? read(resource, keys.join('/')) : reader.read(other, keys[0] ?? '');
        },
        context: (name) => reader.read(others.context, name) ?? contextDefaults[name],
        ...(http && { http: readHttp(http) }),
        item: (collection, value) => {
          const resource = resourceOf(collection);
          if (resource === undefined) return value;
          try {
            // A collection of resources holds objects or references to them.
            return whole(resource, [value as KubeObject])[0];
          } catch (error) {
            if (demand.isPending()) throw error;
            const message = errorMessage(error);
            throw renderError({ place: collection, message, field: '', reason: 'ObjectUnreadable' });
          }
        },
        isPending: () => demand.isPending(),
        done: () => {
          demand.done();
          urls?.forEach((key) => http?.told?.(key, 'printed'));
        },
        failed: (reason) => {
          const outcome = reason === 'ContentPending' ? 'pending' : 'failed';
          urls?.forEach((key) => http?.told?.(key, outcome));
        },
        hide,
        warn: (warning) => warn({ ...warning, message: hide(warning.message) }),
      };
    },
  });
}

/** `secrets` of `resources.secrets`. */
function resourceOf(collection: string): string | undefined {
  return collection.startsWith('resources.') ? collection.slice('resources.'.length) : undefined;
}

/** One index key per combination of what the paths give; none where a path gives nothing. */
function indexKeysOf(parts: readonly (readonly string[])[]): string[] {
  return parts
    .reduce<string[][]>((keys, values) => keys.flatMap((key) => values.map((value) => [...key, value])), [[]])
    .map(joined);
}

/** No value of an object that Kubernetes accepts as a name or label has this separator in it. */
function joined(keys: readonly string[]): string {
  return keys.join('\u0000');
}
