import type { KubeObject } from '../api/kube-object.ts';
import { kubeClient } from './kube-client.ts';
import type { KubeResult } from './kube-failure.ts';
import type { KubeTransport } from './kube-transport.ts';
import { createKindResolver, type ResolveKind } from './resolve-kind.ts';

export interface ApplyObjectOptions {
  /** Takes fields over from other field managers. Default false: such a conflict is a 409 that names them. */
  readonly force?: boolean;
  /** `status`. */
  readonly subresource?: string;
  /** Namespace of namespaced objects that name none. Default `default`. */
  readonly namespace?: string;
  readonly signal?: AbortSignal;
  /** Of somebody who applies many objects: remembers what the server calls their kinds. */
  readonly resolveKind?: ResolveKind;
}

/**
 * Server-side apply: creates the object, or brings the fields that it has to their values, and gives up those that `fieldManager`
 * applied before and that are not in it any more. What others manage stays. Retries nothing.
 *
 * @returns the object as the server has it; a 404 of reason `NotServed` when it knows no such kind
 */
export async function applyObject(
  transport: KubeTransport,
  object: KubeObject,
  fieldManager: string,
  options: ApplyObjectOptions = {},
): Promise<KubeResult<KubeObject>> {
  const { apiVersion, kind, metadata } = object;
  if (apiVersion === undefined || kind === undefined)
    return {
      ok: false,
      failure: { kind: 'protocol', message: `${metadata.name} has no apiVersion or no kind` },
    };
  const { resolveKind = createKindResolver(transport), signal, force, subresource } = options;
  const served = await resolveKind(apiVersion, kind, signal);
  if (!served.ok) return served;
  const namespace = metadata.namespace ?? options.namespace ?? 'default';
  const { resources, namespaced } = served.value;
  return kubeClient(transport).apply(
    { apiVersion, resources, ...(namespaced && { namespace }) },
    namespaced ? { ...object, metadata: { ...metadata, namespace } } : object,
    {
      fieldManager,
      ...(force !== undefined && { force }),
      ...(subresource !== undefined && { subresource }),
      ...(signal !== undefined && { signal }),
    },
  );
}
