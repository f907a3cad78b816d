import { describeFailure } from '../../kube/kube-failure.ts';
import type { Finding } from '../finding.ts';
import type { Placed } from './kinds-of.ts';
import { isHook, manifestName } from './manifest.ts';
import type { Cluster } from './preflight-facts.ts';

const check = 'objects';

/**
 * Does the API server take the objects? Each is applied as a dry run under Helm's name, which is judged as the real thing: unknown fields,
 * policies, quotas, rights that may not be given away. Objects of other managers are told by the check of names.
 */
export async function checkDryRun(
  { transport, namespace: there }: Cluster,
  objects: readonly Placed[],
  signal: () => AbortSignal,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  let tried = 0;
  for (const { manifest, ref } of objects) {
    if (manifest.kind === 'CustomResourceDefinition' || isHook(manifest)) continue;
    if (ref.namespace !== undefined && there === undefined) continue;
    tried += 1;
    const { apiVersion } = ref;
    const base = `/${apiVersion.includes('/') ? 'apis' : 'api'}/${apiVersion}`;
    const where = ref.namespace === undefined ? '' : `/namespaces/${encodeURIComponent(ref.namespace)}`;
    const answer = await transport.request({
      method: 'PATCH',
      path: `${base}${where}/${ref.resources}/${encodeURIComponent(manifest.metadata.name)}`,
      query: { dryRun: 'All', fieldManager: 'helm', force: true, fieldValidation: 'Strict' },
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: manifest,
      signal: signal(),
    });
    if (answer.ok) {
      await answer.value.body.text();
      continue;
    }
    const { failure } = answer;
    // Its CRD comes with the chart.
    if (failure.kind === 'http' && failure.status === 404) {
      tried -= 1;
      continue;
    }
    const isVerdict = failure.kind === 'http' && failure.status < 500;
    findings.push({
      check,
      status: isVerdict ? 'failed' : 'skipped',
      message: `${manifestName(manifest)} ${isVerdict ? 'is refused' : 'cannot be tried'}: ${describeFailure(failure)}`,
      ...(isVerdict && {
        advice: 'change the values that it is made of; see also what is said of your rights',
      }),
    });
  }
  if (findings.length > 0) return findings;
  const left = objects.length - tried;
  return [
    {
      check,
      status: 'ok',
      message: `the API server takes ${tried} objects as a dry run${left > 0 ? `; ${left} cannot be tried before the install` : ''}`,
    },
  ];
}
