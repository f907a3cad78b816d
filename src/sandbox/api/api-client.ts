import { Observable, defer, of } from 'rxjs';
import type { KubeObject } from '../../api/kube-object.ts';
import { findEntry, viewOf, type ApiContext, type WriteOptions } from './api-context.ts';
import type { ApiObject } from './api-object.ts';
import { apiError } from './api-status.ts';
import { deleteObject, type DeleteOptions } from './delete-object.ts';
import { selectEntries, type Selection } from './list-objects.ts';
import { patchObject, type PatchType } from './patch-object.ts';
import type { ResourceType } from './resource-type.ts';
import { watchObjects } from './watch-objects.ts';
import { createObject, replaceObject } from './write-object.ts';

/** The caller names the type it knows the kind to have; this API checks objects against schemas, not against types. */
const typed = (object: ApiObject) => object as never;

/** `apiVersion/plural`: `v1/pods`, `networking.k8s.io/v1/ingresses`. */
export type ResourceId = string;

/** Namespace (empty for cluster-scoped kinds) and name. */
export interface ObjectKey {
  readonly namespace?: string;
  readonly name: string;
}

export type ClientWatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  /** All objects that were there when the watch began have been emitted. */
  | { readonly type: 'SYNCED' };

export interface ClientOptions extends Pick<WriteOptions, 'fieldManager' | 'keepStatus' | 'dryRun'> {
  readonly subresource?: 'status';
}

/**
 * The API without HTTP, for the stand-in controllers and for tests. Every method gives a cold Observable that acts when
 * it is subscribed to, synchronously, and errors with an `apiError` (see `statusOf`). Objects are shared with the store:
 * never mutate them. Writes are validated like those over HTTPS.
 */
export interface ApiClient {
  readonly get: <T extends KubeObject = ApiObject>(resource: ResourceId, key: ObjectKey) => Observable<T>;
  /** All selected objects in key order. */
  readonly list: <T extends KubeObject = ApiObject>(
    resource: ResourceId,
    selection?: Selection,
  ) => Observable<readonly T[]>;
  /** Creates `object` in its `metadata.namespace` (`default` if it has none). */
  readonly create: <T extends KubeObject>(object: T, options?: ClientOptions) => Observable<T>;
  /**
   * Creates many objects at once, as they are: status kept, ownership of fields not recorded. Objects of all kinds may
   * be mixed; the first one that fails stops the load. Emits how many there are.
   */
  readonly createMany: (objects: Iterable<KubeObject>) => Observable<number>;
  readonly update: <T extends KubeObject>(object: T, options?: ClientOptions) => Observable<T>;
  readonly patch: <T extends KubeObject = ApiObject>(
    resource: ResourceId,
    key: ObjectKey,
    patch: unknown,
    options?: ClientOptions & { readonly type?: PatchType; readonly force?: boolean },
  ) => Observable<T>;
  /** Server-side apply, forced: creates the object or brings the stated fields to it. */
  readonly apply: <T extends KubeObject>(object: T, options?: ClientOptions) => Observable<T>;
  readonly delete: (resource: ResourceId, key: ObjectKey, options?: DeleteOptions) => Observable<void>;
  /** The resource that holds objects of a kind; `undefined` when this server does not know it (yet). */
  readonly resourceOf: (apiVersion: string, kind: string) => ResourceId | undefined;
  /** Present objects as ADDED, then SYNCED, then each change in the tick of its write. Endless. */
  readonly watch: <T extends KubeObject = ApiObject>(
    resource: ResourceId,
    selection?: Selection,
  ) => Observable<ClientWatchEvent<T>>;
}

const defaultManager = 'haptic-sandbox';

export function createApiClient(context: ApiContext): ApiClient {
  const once = <T>(act: () => T): Observable<T> => defer(() => of(act()));
  const entryOf = (type: ResourceType, key: ObjectKey) =>
    findEntry(context, type, namespaceOf(type, key.namespace), key.name);

  const typeOf = (resource: ResourceId): ResourceType => {
    const at = resource.lastIndexOf('/');
    const [group, version] = splitApiVersion(resource.slice(0, at));
    const type = context.registry.byPlural(group, version, resource.slice(at + 1));
    if (type === undefined) throw apiError(404, `the server could not find the resource ${resource}`);
    return type;
  };
  const typeOfObject = (object: KubeObject): ResourceType => {
    const { apiVersion = '', kind = '' } = object;
    const type = context.registry.byKind(apiVersion, kind);
    if (type === undefined) throw apiError(404, `no matches for kind "${kind}" in version "${apiVersion}"`);
    return type;
  };
  const create = (object: KubeObject, options: WriteOptions) => {
    const type = typeOfObject(object);
    return createObject(context, type, namespaceOf(type, object.metadata.namespace), object, options);
  };

  return {
    get: (resource, key) =>
      once(() => {
        const type = typeOf(resource);
        return typed(viewOf(type, entryOf(type, key)));
      }),
    list: (resource, selection = {}) =>
      once(() => {
        const type = typeOf(resource);
        return selectEntries(context, type, selection).map((entry) => typed(viewOf(type, entry)));
      }),
    create: (object, options = {}) =>
      once(() => typed(create(object, { fieldManager: defaultManager, ...options }))),
    createMany: (objects) =>
      once(() => {
        let count = 0;
        for (const object of objects) {
          create(object, { keepStatus: true, trackFields: false });
          count++;
        }
        return count;
      }),
    update: (object, options = {}) =>
      once(() => {
        const type = typeOfObject(object);
        const entry = entryOf(type, object.metadata);
        return typed(
          replaceObject(context, type, entry, object, { fieldManager: defaultManager, ...options }),
        );
      }),
    patch: (resource, key, patch, options = {}) =>
      once(() => {
        const type = typeOf(resource);
        const { type: patchType = 'merge', ...rest } = options;
        const namespace = namespaceOf(type, key.namespace);
        const how = { fieldManager: defaultManager, ...rest };
        return typed(patchObject(context, type, namespace, key.name, patchType, patch, how).object);
      }),
    apply: (object, options = {}) =>
      once(() => {
        const type = typeOfObject(object);
        const { name, namespace } = object.metadata;
        const how = { fieldManager: defaultManager, force: true, ...options };
        return typed(
          patchObject(context, type, namespaceOf(type, namespace), name, 'apply', object, how).object,
        );
      }),
    delete: (resource, key, options = {}) =>
      once(() => {
        const type = typeOf(resource);
        deleteObject(context, type, entryOf(type, key), options);
      }),
    resourceOf: (apiVersion, kind) => {
      const type = context.registry.byKind(apiVersion, kind);
      return type === undefined ? undefined : `${apiVersion}/${type.plural}`;
    },
    watch: <T extends KubeObject>(resource: ResourceId, selection: Selection = {}) =>
      new Observable<ClientWatchEvent<T>>((subscriber) => {
        const type = typeOf(resource);
        const source = watchObjects(context, type, selection);
        const waiting: ClientWatchEvent<T>[] = [];
        let synced = false;
        subscriber.add(
          source.listen((change) => {
            const event = { type: change.type, object: typed(viewOf(type, change.entry)) };
            if (synced) subscriber.next(event);
            else waiting.push(event);
          }),
        );
        for (const entry of source.initial)
          subscriber.next({ type: 'ADDED', object: typed(viewOf(type, entry)) });
        subscriber.next({ type: 'SYNCED' });
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) subscriber.next(next);
        synced = true;
      }),
  };
}

function namespaceOf(type: ResourceType, namespace: string | undefined): string {
  if (!type.namespaced) return '';
  return namespace === undefined || namespace === '' ? 'default' : namespace;
}

function splitApiVersion(apiVersion: string): [group: string, version: string] {
  const at = apiVersion.indexOf('/');
  return at < 0 ? ['', apiVersion] : [apiVersion.slice(0, at), apiVersion.slice(at + 1)];
}
