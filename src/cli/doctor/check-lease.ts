import type { TemplateConfig } from '../../api/template-config.ts';
import type { KubeClient } from '../../kube/kube-client.ts';
import { describeFailure } from '../../kube/kube-failure.ts';
import { leaseRecord } from '../../kube/lease-record.ts';
import type { Finding } from '../finding.ts';

const check = 'leader';
/** A holder that was silent for so many of its terms is gone, whatever the clocks say. */
const silentTerms = 3;
const usualTermMs = 15_000;

/** Does somebody lead? Without a leader nothing gets to HAProxy. */
export async function checkLease(
  kube: KubeClient,
  {
    config,
    leaseName,
    namespace,
    now,
    signal,
  }: {
    readonly config?: TemplateConfig;
    readonly leaseName?: string;
    readonly namespace: string;
    readonly now: number;
    readonly signal: AbortSignal;
  },
): Promise<readonly Finding[]> {
  const election = config?.controller.leaderElection;
  if (election?.enabled === false) return [{ check, status: 'ok', message: 'there is no election' }];
  const name = leaseName ?? election?.leaseName;
  if (name === undefined)
    return [{ check, status: 'skipped', message: 'no configuration tells the name of the Lease' }];
  const what = `Lease ${namespace}/${name}`;
  const found = await kube.get(
    { apiVersion: 'coordination.k8s.io/v1', resources: 'leases', namespace },
    name,
    { signal },
  );
  const advice = 'see whether controllers run and what their logs say of the Lease';
  if (!found.ok) {
    const isMissing = found.failure.kind === 'http' && found.failure.status === 404;
    return isMissing
      ? [{ check, status: 'failed', message: `nobody has ever led: ${what} is not there`, advice }]
      : [{ check, status: 'skipped', message: `${what}: ${describeFailure(found.failure)}` }];
  }
  const { holder, durationMs = usualTermMs, renewTime } = leaseRecord(found.value);
  if (holder === '')
    return [{ check, status: 'failed', message: `nobody leads: ${what} has no holder`, advice }];
  const silentMs = now - Date.parse(renewTime);
  if (Number.isNaN(silentMs) || silentMs > silentTerms * durationMs)
    return [
      {
        check,
        status: 'failed',
        message: `nobody leads: ${holder}, the holder of ${what}, last renewed it ${renewTime || 'never'}`,
        advice,
      },
    ];
  return [{ check, status: 'ok', message: `${holder} leads` }];
}
