import { isRecord } from '../lib/is-record.ts';
import type { KubeResult } from './kube-failure.ts';
import { networkFailure, type KubeTransport } from './kube-transport.ts';

/** What the server calls a kind in its paths. */
export interface ServedKind {
  /** Plural: `ingresses`. */
  readonly resources: string;
  readonly namespaced: boolean;
}

/** The kinds of a version (`v1`, `networking.k8s.io/v1`) by discovery; none where the server does not have it. */
export async function servedResources(
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
