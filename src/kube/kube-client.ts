import type { KubeObject } from '../api/kube-object.ts';
import type { KubeResult } from './kube-failure.ts';
import { networkFailure, type KubeRequest, type KubeTransport } from './kube-transport.ts';
import { resourcePath, type ResourceRef } from './resource-path.ts';
import { isRecord } from '../lib/is-record.ts';

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** `status`, `scale` */
  readonly subresource?: string;
}

export interface GetOptions extends CallOptions {
  /** Asks for nothing but the metadata. */
  readonly metadataOnly?: boolean;
}

export interface ListOptions {
  readonly signal?: AbortSignal;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Objects a page; default 500. */
  readonly limit?: number;
  /** Asks for nothing but their metadata. */
  readonly metadataOnly?: boolean;
}

export interface ListPage {
  readonly items: readonly KubeObject[];
  readonly resourceVersion: string;
}

export interface ApplyOptions extends CallOptions {
  readonly fieldManager: string;
  /** Takes fields over from other managers; without it such a conflict is a 409. */
  readonly force?: boolean;
  /** Everything but storing it. */
  readonly dryRun?: boolean;
}

export interface DeleteOptions {
  readonly signal?: AbortSignal;
  /** Only this very object; another one under the name gives a 409. */
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export type PatchType = 'merge' | 'json' | 'strategic';

const patchTypes: Readonly<Record<PatchType | 'apply', string>> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  // JSON is YAML; servers before 1.36 know no other type for apply.
  apply: 'application/apply-patch+yaml',
};

/** Servers that cannot leave the rest away send all. */
const metadataTypes = {
  object: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
  list: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json',
};

/** The usual calls, as JSON, with errors as values. Each returns the object as the server has it afterwards. */
export interface KubeClient {
  get(ref: ResourceRef, name: string, options?: GetOptions): Promise<KubeResult<KubeObject>>;
  /** Page by page; ends after the last one, or after the first failure. */
  list(ref: ResourceRef, options?: ListOptions): AsyncGenerator<KubeResult<ListPage>>;
  create(ref: ResourceRef, object: KubeObject, options?: CallOptions): Promise<KubeResult<KubeObject>>;
  /** PUT. With `metadata.resourceVersion` it is refused (409) when the object changed meanwhile. */
  replace(ref: ResourceRef, object: KubeObject, options?: CallOptions): Promise<KubeResult<KubeObject>>;
  patch(
    ref: ResourceRef,
    name: string,
    type: PatchType,
    patch: unknown,
    options?: CallOptions,
  ): Promise<KubeResult<KubeObject>>;
  /** Server-side apply; `object` needs apiVersion, kind and metadata.name. */
  apply(ref: ResourceRef, object: KubeObject, options: ApplyOptions): Promise<KubeResult<KubeObject>>;
  /** Returns the deleted object, or the server's Status. */
  delete(ref: ResourceRef, name: string, options?: DeleteOptions): Promise<KubeResult<unknown>>;
}

export function kubeClient(transport: KubeTransport): KubeClient {
  const call = async (request: KubeRequest): Promise<KubeResult<unknown>> => {
    const result = await transport.request(request);
    if (!result.ok) return result;
    let text: string;
    try {
      text = await result.value.body.text();
    } catch (error) {
      return { ok: false, failure: networkFailure(error, request.signal) };
    }
    try {
      return { ok: true, value: JSON.parse(text) };
    } catch {
      return notWhatWasAsked(request, 'JSON');
    }
  };
  const object = async (request: KubeRequest): Promise<KubeResult<KubeObject>> => {
    const result = await call(request);
    if (!result.ok) return result;
    return isObject(result.value) ? { ok: true, value: result.value } : notWhatWasAsked(request, 'an object');
  };

  return {
    get: (ref, name, options = {}) =>
      object({
        path: resourcePath(ref, name, options.subresource),
        ...(options.metadataOnly === true && { headers: { accept: metadataTypes.object } }),
        ...signalOf(options),
      }),
    create: (ref, body, options = {}) =>
      object({ method: 'POST', path: resourcePath(ref), body, ...signalOf(options) }),
    replace: (ref, body, options = {}) =>
      object({
        method: 'PUT',
        path: resourcePath(ref, body.metadata.name, options.subresource),
        body,
        ...signalOf(options),
      }),
    patch: (ref, name, type, body, options = {}) =>
      object({
        method: 'PATCH',
        path: resourcePath(ref, name, options.subresource),
        headers: { 'content-type': patchTypes[type] },
        body,
        ...signalOf(options),
      }),
    apply: (ref, body, options) =>
      object({
        method: 'PATCH',
        path: resourcePath(ref, body.metadata.name, options.subresource),
        query: {
          fieldManager: options.fieldManager,
          force: options.force,
          dryRun: options.dryRun === true ? 'All' : undefined,
        },
        headers: { 'content-type': patchTypes.apply },
        body,
        ...signalOf(options),
      }),
    delete: (ref, name, options = {}) => {
      const { uid, resourceVersion } = options;
      const conditional = uid !== undefined || resourceVersion !== undefined;
      return call({
        method: 'DELETE',
        path: resourcePath(ref, name),
        ...(conditional
          ? { body: { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid, resourceVersion } } }
          : {}),
        ...signalOf(options),
      });
    },
    list: async function* (ref, options = {}) {
      const { labelSelector, fieldSelector, limit = 500 } = options;
      let next: string | undefined;
      do {
        const request: KubeRequest = {
          path: resourcePath(ref),
          query: { labelSelector, fieldSelector, limit, continue: next },
          ...(options.metadataOnly === true && { headers: { accept: metadataTypes.list } }),
          ...signalOf(options),
        };
        const result = await call(request);
        if (!result.ok) {
          yield result;
          return;
        }
        const page = pageOf(result.value);
        if (page === undefined) {
          yield notWhatWasAsked(request, 'a list');
          return;
        }
        yield { ok: true, value: page };
        next = page.continue;
      } while (next !== undefined);
    },
  };
}

function signalOf(options: { readonly signal?: AbortSignal }): { readonly signal?: AbortSignal } {
  return options.signal === undefined ? {} : { signal: options.signal };
}

function notWhatWasAsked<T>(request: KubeRequest, what: string): KubeResult<T> {
  const message = `the answer to ${request.method ?? 'GET'} ${request.path} is not ${what}`;
  return { ok: false, failure: { kind: 'protocol', message } };
}

function pageOf(value: unknown): (ListPage & { readonly continue: string | undefined }) | undefined {
  if (!isRecord(value) || !isRecord(value['metadata'])) return undefined;
  const { resourceVersion, continue: next } = value['metadata'];
  // Go servers send `null` for an empty list.
  const items: unknown = value['items'] ?? [];
  if (!Array.isArray(items) || !items.every(isObject) || typeof resourceVersion !== 'string')
    return undefined;
  return { items, resourceVersion, continue: typeof next === 'string' && next !== '' ? next : undefined };
}

function isObject(value: unknown): value is KubeObject {
  return isRecord(value) && isRecord(value['metadata']) && typeof value['metadata']['name'] === 'string';
}
