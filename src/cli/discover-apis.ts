import type { KubeResult } from '../kube/kube-failure.ts';
import { type KubeTransport, networkFailure } from '../kube/kube-transport.ts';
import { type ServedKind, servedResources } from '../kube/served-resources.ts';
import { isRecord } from '../lib/is-record.ts';

/** Kinds by API version: `networking.k8s.io/v1` → `Ingress`. */
export type ServedApis = ReadonlyMap<string, ReadonlyMap<string, ServedKind>>;

/** Every version that the API server serves, and its kinds. A version whose own server does not answer has none. */
export async function discoverApis(
  transport: KubeTransport,
  signal: () => AbortSignal,
): Promise<KubeResult<ServedApis>> {
  const path = '/apis';
  const answer = await transport.request({ path, signal: signal() });
  if (!answer.ok) return answer;
  let listed: unknown;
  try {
    listed = JSON.parse(await answer.value.body.text());
  } catch (error) {
    if (error instanceof SyntaxError)
      return { ok: false, failure: { kind: 'protocol', message: `the answer to GET ${path} is not JSON` } };
    return { ok: false, failure: networkFailure(error, undefined) };
  }
  const versions = ['v1', ...groupVersions(listed)];
  const resources = await Promise.all(
    versions.map((version) => servedResources(transport, version, signal())),
  );
  const served = new Map<string, ReadonlyMap<string, ServedKind>>();
  for (const [index, version] of versions.entries()) {
    const found = resources[index];
    if (found?.ok === true) served.set(version, found.value);
    else if (found !== undefined && !(found.failure.kind === 'http' && found.failure.status >= 500))
      return found;
  }
  return { ok: true, value: served };
}

function groupVersions(list: unknown): readonly string[] {
  const groups: unknown = isRecord(list) ? list['groups'] : undefined;
  return (Array.isArray(groups) ? groups : [])
    .filter(isRecord)
    .flatMap(({ versions }) =>
      (Array.isArray(versions) ? versions : [])
        .filter(isRecord)
        .flatMap(({ groupVersion }) => (typeof groupVersion === 'string' ? [groupVersion] : [])),
    );
}
