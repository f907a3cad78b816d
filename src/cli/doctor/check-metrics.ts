import type { KubeTransport } from '../../kube/kube-transport.ts';
import { describeFailure } from '../../kube/kube-failure.ts';
import type { Finding } from '../finding.ts';
import type { Installation } from './installation.ts';

/**
 * What controllers count, asked through the API server, for whom port-forwards are none: objects that are held back, pods that are behind.
 * Figures of the fleet are the leader's.
 */
export async function checkMetrics(
  transport: KubeTransport,
  { pods, metricsPort }: Pick<Installation, 'pods' | 'metricsPort'>,
  namespace: string,
  signal: () => AbortSignal,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const controllers = pods.filter(
    ({ metadata }) => metadata.labels?.['app.kubernetes.io/component'] === 'controller',
  );
  for (const { metadata } of controllers) {
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(metadata.name)}:${metricsPort}/proxy/metrics`;
    const answer = await transport.request({ path, signal: signal() });
    if (answer.ok) findings.push(...judge(await answer.value.body.text(), `${namespace}/${metadata.name}`));
    else
      findings.push({
        check: 'metrics',
        status: 'skipped',
        message: `metrics of ${namespace}/${metadata.name}: ${describeFailure(answer.failure)}`,
      });
  }
  return findings;
}

function judge(text: string, pod: string): readonly Finding[] {
  const sum = (name: string): number =>
    text
      .split('\n')
      .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
      .reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  if (sum('haptic_leader_election_is_leader') === 0) return [];
  const findings: Finding[] = [];
  if (sum('haptic_retained_config_active') > 0)
    findings.push({
      check: 'retained',
      status: 'failed',
      message:
        'HAProxy pods hold what was retained of an earlier render: no render is accepted since this controller began',
      advice:
        'docs/retained.md tells how to find out why; what is said of the configuration and of published renders is where to begin',
    });
  const held = sum('haptic_quarantined_objects');
  if (held > 0)
    findings.push({
      check: 'quarantine',
      status: 'warning',
      message: `${held} objects are held back`,
      advice: 'their Events and haptic tap quarantine tell which and why',
    });
  const [size, converged, pending] = [
    sum('haptic_haproxy_fleet_size'),
    sum('haptic_haproxy_fleet_converged'),
    sum('haptic_haproxy_fleet_pending'),
  ];
  if (converged + pending < size)
    findings.push({
      check: 'deployments',
      status: 'warning',
      message: `${size - converged - pending} of ${size} HAProxy pods do not run the newest render`,
      advice: 'what is published tells why; see also what is said of the pods',
    });
  return findings.length > 0
    ? findings
    : [
        {
          check: 'metrics',
          status: 'ok',
          message: `${pod} leads: ${converged} of ${size} HAProxy pods run the newest render`,
        },
      ];
}
