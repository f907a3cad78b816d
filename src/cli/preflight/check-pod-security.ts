import type { Finding } from '../finding.ts';
import { describeFailure } from '../../kube/kube-failure.ts';
import { hostPortsOf } from './host-ports-of.ts';
import type { Manifest } from './manifest.ts';
import type { Cluster } from './preflight-facts.ts';
import { type Workload, workloadsOf } from './workload.ts';

const check = 'pod-security';
const label = 'pod-security.kubernetes.io/enforce';

/**
 * Will pods be let into the namespace? What its level forbids for certain is told at once; whatever else judges pods (the level's other
 * rules, quotas, policies) is asked with a dry run of a pod of each kind.
 */
export async function checkPodSecurity(
  { transport, namespace: held }: Cluster,
  manifests: readonly Manifest[],
  namespace: string,
  signal: () => AbortSignal,
): Promise<readonly Finding[]> {
  const workloads = workloadsOf(manifests);
  const level = held?.metadata.labels?.[label] ?? '';
  const forbidden = workloads.flatMap(({ name, template }): readonly Finding[] => {
    const ports = hostPortsOf(template.spec);
    const wants = [
      ...(ports.length > 0 ? [`host ports ${ports.join(', ')}`] : []),
      ...(template.spec['hostNetwork'] === true ? ['the network of the host'] : []),
    ];
    if (wants.length === 0 || (level !== 'restricted' && level !== 'baseline')) return [];
    return [
      {
        check,
        status: 'failed',
        message: `${name} wants ${wants.join(' and ')}, and namespace ${namespace} is ${level}`,
        advice: `use a Service instead, or label the namespace ${label}=privileged`,
      },
    ];
  });
  if (forbidden.length > 0) return forbidden;
  if (held === undefined)
    return [
      {
        check,
        status: 'skipped',
        message: `namespace ${namespace} is not there, so no pod can be tried in it`,
      },
    ];
  const findings: Finding[] = [];
  for (const workload of workloads) {
    const answer = await transport.request({
      method: 'POST',
      path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`,
      query: { dryRun: 'All' },
      body: podOf(workload, namespace),
      signal: signal(),
    });
    if (answer.ok) await answer.value.body.text();
    else {
      const { failure } = answer;
      const isVerdict =
        failure.kind === 'http' && !/cannot create resource/.test(failure.message) && failure.status < 500;
      findings.push({
        check,
        status: isVerdict ? 'failed' : 'skipped',
        message: `a pod of ${workload.name} ${isVerdict ? 'is refused' : 'cannot be tried'}: ${describeFailure(failure)}`,
        ...(isVerdict && { advice: 'change the values of its pod, or what the namespace allows' }),
      });
    }
  }
  return findings.length > 0
    ? findings
    : [
        {
          check,
          status: 'ok',
          message: `namespace ${namespace} lets the pods of ${workloads.length} workloads in`,
        },
      ];
}

/** A pod as the workload's controller would make it; its service account, which may not be there yet, is left out. */
function podOf({ template }: Workload, namespace: string): object {
  const { serviceAccountName: _account, serviceAccount: _old, ...spec } = template.spec;
  const { labels, annotations } = template.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { generateName: 'haptic-preflight-', namespace, labels, annotations },
    spec: { ...spec, automountServiceAccountToken: false },
  };
}
