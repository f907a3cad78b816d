import type { KubeResult } from './kube-failure.ts';
import type { KubeTransport } from './kube-transport.ts';
import { type ServedKind, servedResources } from './served-resources.ts';

/** Asks the server which resource a kind is. Rejects never; a kind that is not served is a 404 of reason `NotServed`. */
export type ResolveKind = (
  apiVersion: string,
  kind: string,
  signal?: AbortSignal,
) => Promise<KubeResult<ServedKind>>;

/**
 * Kinds by discovery (`GET /apis/<group>/<version>`). What was found is remembered; what was not is asked again the next time, since a
 * CRD may have come.
 */
export function createKindResolver(transport: KubeTransport): ResolveKind {
  const known = new Map<string, ServedKind>();
  return async (apiVersion, kind, signal) => {
    const key = `${apiVersion} ${kind}`;
    const found = known.get(key);
    if (found !== undefined) return { ok: true, value: found };
    const listed = await servedResources(transport, apiVersion, signal);
    if (!listed.ok) return listed;
    for (const [name, served] of listed.value) known.set(`${apiVersion} ${name}`, served);
    const served = known.get(key);
    return served === undefined ? notServed(apiVersion, kind) : { ok: true, value: served };
  };
}

function notServed(apiVersion: string, kind: string): KubeResult<never> {
  const message = `the server has no kind ${kind} in ${apiVersion}`;
  return { ok: false, failure: { kind: 'http', status: 404, reason: 'NotServed', message } };
}
