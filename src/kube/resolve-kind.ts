import { isRecord } from '../lib/is-record.ts';
import type { KubeResult } from './kube-failure.ts';
import { networkFailure, type KubeTransport } from './kube-transport.ts';

/** What the server calls a kind in its paths. */
export interface ServedKind {
  /** Plural: `ingresses`. */
  readonly resources: string;
  readonly namespaced: boolean;
}

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
    const listed = await resourcesOf(transport, apiVersion, signal);
    if (!listed.ok) return listed;
    for (const [name, served] of listed.value) known.set(`${apiVersion} ${name}`, served);
    const served = known.get(key);
    return served === undefined ? notServed(apiVersion, kind) : { ok: true, value: served };
  };
}

async function resourcesOf(
  transport: KubeTransport,
  apiVersion: string,
  signal: AbortSignal | undefined,
): Promise<KubeResult<ReadonlyMap<string, ServedKind>>> {
  const parts = apiVersion.split('/').map(encodeURIComponent);
  const path = `/${parts.length > 1 ? 'apis' : 'api'}/${parts.join('/')}`;
  const result = await transport.request({ path, ...(signal && { signal }) });
  if (!result.ok) {
    const { failure } = result;
    return failure.kind === 'http' && failure.status === 404 ? { ok: true, value: new Map() } : result;
  }
  let answer: unknown;
  try {
    answer = JSON.parse(await result.value.body.text());
  } catch (error) {
    if (error instanceof SyntaxError)
      return { ok: false, failure: { kind: 'protocol', message: `the answer to GET ${path} is not JSON` } };
    return { ok: false, failure: networkFailure(error, signal) };
  }
  const resources: unknown = isRecord(answer) ? answer['resources'] : undefined;
  return { ok: true, value: new Map(Array.isArray(resources) ? resources.flatMap(servedOf) : []) };
}

/** Subresources (`deployments/status`) are listed too, some with the kind of the resource itself. */
function servedOf(entry: unknown): readonly (readonly [string, ServedKind])[] {
  if (!isRecord(entry)) return [];
  const { kind, name, namespaced } = entry;
  if (typeof kind !== 'string' || typeof name !== 'string' || name.includes('/')) return [];
  return [[kind, { resources: name, namespaced: namespaced === true }]];
}

function notServed(apiVersion: string, kind: string): KubeResult<never> {
  const message = `the server has no kind ${kind} in ${apiVersion}`;
  return { ok: false, failure: { kind: 'http', status: 404, reason: 'NotServed', message } };
}
