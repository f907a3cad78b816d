import type { Finding } from '../finding.ts';
import { checkLease } from './check-lease.ts';
import { checkMetrics } from './check-metrics.ts';
import { checkPublished } from './check-published.ts';
import { checkWebhook } from './check-webhook.ts';
import { checkWorkloads } from './check-workloads.ts';
import type { DoctorDeps } from './doctor-deps.ts';

/** All that a Helm release has besides its configuration; nothing where there is none. */
export async function checkInstallation(deps: DoctorDeps): Promise<readonly Finding[]> {
  const { kube, transport, namespace, signal, now, installation, config } = deps;
  if (installation === undefined) return [];
  const { configName, leaseName, webhook } = installation;
  return [
    ...(await checkWorkloads(kube, installation, namespace, signal)),
    ...(await checkLease(kube, {
      ...{ namespace, now: now(), signal: signal() },
      ...(config !== undefined && { config }),
      ...(leaseName !== undefined && { leaseName }),
    })),
    ...(webhook === undefined ? [] : await checkWebhook(deps, webhook)),
    ...(configName === undefined || config?.controller.configPublishing.enabled === false
      ? []
      : await checkPublished(kube, { configName, namespace, signal })),
    ...(await checkMetrics(transport, installation, namespace, signal)),
  ];
}
