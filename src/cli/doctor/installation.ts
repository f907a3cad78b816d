import type { KubeObject } from '../../api/kube-object.ts';
import type { KubeClient } from '../../kube/kube-client.ts';
import { describeFailure } from '../../kube/kube-failure.ts';
import type { ServiceAccountName } from '../ask-access.ts';
import { containersOf, record, records, textOf } from '../fields.ts';
import { environmentOfContainer } from '../environment-of-container.ts';
import { flagsOfContainer } from '../flags-of-container.ts';

/** A Helm release as its objects tell it. */
export interface Installation {
  readonly release: string;
  readonly serviceAccount: ServiceAccountName;
  /** Of the HAProxyTemplateConfig; absent: the controller takes its configuration from files. */
  readonly configName?: string;
  /** Absent: the configuration names it. */
  readonly leaseName?: string;
  readonly webhook?: {
    readonly service: string;
    /** ValidatingWebhookConfiguration. */
    readonly configuration?: string;
    /** Where the controller keeps the certificate that it issues itself; absent: it is given one. */
    readonly secret?: string;
  };
  /** Secrets of the certificates that HAPTIC issues: between controller and agents, and what HAProxy shows where there is no other. */
  readonly certificateSecrets: readonly string[];
  /** Secrets of certificates that pods mount and that somebody else issues: cert-manager, or whoever writes them. */
  readonly foreignCertificateSecrets: readonly string[];
  /** Port of the controller's metrics. */
  readonly metricsPort: number;
  /** Deployments, DaemonSets, Jobs. */
  readonly workloads: readonly KubeObject[];
  /** All pods of it. */
  readonly pods: readonly KubeObject[];
}

export type FoundInstallation =
  | { readonly kind: 'found'; readonly installation: Installation }
  /** There is none of the chart, or none of that name. */
  | { readonly kind: 'none' }
  | { readonly kind: 'several'; readonly releases: readonly string[] }
  | { readonly kind: 'unknown'; readonly reason: string };

const label = { name: 'app.kubernetes.io/name=haptic', instance: 'app.kubernetes.io/instance' };

/** Looks up by its labels what Helm has installed in a namespace. */
export async function findInstallation(
  kube: KubeClient,
  {
    namespace,
    release,
    signal,
  }: { readonly namespace: string; readonly release?: string; readonly signal: () => AbortSignal },
): Promise<FoundInstallation> {
  const failures: string[] = [];
  const list = async (
    apiVersion: string,
    resources: string,
    labelSelector: string,
  ): Promise<readonly KubeObject[]> => {
    const found: KubeObject[] = [];
    for await (const page of kube.list(
      { apiVersion, resources, namespace },
      { labelSelector, signal: signal() },
    ))
      if (page.ok) found.push(...page.value.items);
      else if (!(page.failure.kind === 'http' && page.failure.status === 404))
        failures.push(`${resources}: ${describeFailure(page.failure)}`);
    return found;
  };
  const controllers = await list(
    'apps/v1',
    'deployments',
    `${label.name},app.kubernetes.io/component=controller`,
  );
  if (failures.length > 0) return { kind: 'unknown', reason: failures.join('; ') };
  const named = controllers.filter((one) => release === undefined || releaseOf(one) === release);
  const [controller, ...others] = named;
  if (controller === undefined) return { kind: 'none' };
  if (others.length > 0) return { kind: 'several', releases: named.map(releaseOf).sort() };
  const labels = `${label.name},${label.instance}=${releaseOf(controller)}`;
  const [deployments, daemonSets, jobs, cronJobs, pods] = await Promise.all([
    list('apps/v1', 'deployments', labels),
    list('apps/v1', 'daemonsets', labels),
    list('batch/v1', 'jobs', labels),
    list('batch/v1', 'cronjobs', labels),
    list('v1', 'pods', labels),
  ]);
  if (failures.length > 0) return { kind: 'unknown', reason: failures.join('; ') };
  const certificateSecrets = certificateSecretsOf([...jobs, ...cronJobs]);
  const mounted = [...deployments, ...daemonSets].flatMap(mountedCertificates);
  return {
    kind: 'found',
    installation: {
      ...controllerFacts(controller, namespace),
      certificateSecrets,
      foreignCertificateSecrets: [...new Set(mounted)].filter((name) => !certificateSecrets.includes(name)),
      workloads: kinds([
        ['Deployment', deployments],
        ['DaemonSet', daemonSets],
        ['Job', jobs],
      ]),
      pods,
    },
  };
}

function releaseOf({ metadata }: KubeObject): string {
  return metadata.labels?.[label.instance] ?? '';
}

/** The items of a list do not say what they are. */
function kinds(lists: readonly (readonly [string, readonly KubeObject[]])[]): readonly KubeObject[] {
  return lists.flatMap(([kind, objects]) => objects.map((object) => ({ ...object, kind })));
}

function controllerFacts(
  controller: KubeObject,
  namespace: string,
): Omit<Installation, 'certificateSecrets' | 'foreignCertificateSecrets' | 'workloads' | 'pods'> {
  const pod = record(record(record(controller['spec'])['template'])['spec']);
  const container = containersOf(pod).find(
    ({ args, name }) => name === 'controller' || (Array.isArray(args) && args.includes('run')),
  );
  const [flags, env] = [flagsOfContainer(container ?? {}), environmentOfContainer(container ?? {})];
  const given = (flag: string, variable: string) => flags.get(flag) ?? env.get(variable);
  const configName = given('crd-name', 'CRD_NAME');
  const leaseName = given('lease-name', 'LEASE_NAME');
  const service = given('webhook-service', 'WEBHOOK_SERVICE_NAME');
  const configuration = flags.get('webhook-configuration');
  const secret = flags.get('webhook-secret');
  const account = textOf(pod['serviceAccountName']);
  return {
    release: releaseOf(controller),
    serviceAccount: { namespace, name: account === '' ? 'default' : account },
    ...(configName !== undefined && { configName }),
    ...(leaseName !== undefined && { leaseName }),
    ...(service !== undefined && {
      webhook: {
        service,
        ...(configuration !== undefined && { configuration }),
        ...(secret !== undefined && { secret }),
      },
    }),
    metricsPort: Number(/\d+$/.exec(flags.get('metrics-listen') ?? '')?.[0] ?? 9090),
  };
}

/** As the Jobs are told that issue them. */
function certificateSecretsOf(jobs: readonly KubeObject[]): readonly string[] {
  const secrets = new Set<string>();
  for (const job of jobs) {
    const spec = record(job['spec']);
    const template = record(spec['template'] ?? record(record(spec['jobTemplate'])['spec'])['template']);
    for (const container of containersOf(record(template['spec']))) {
      const flags = flagsOfContainer(container);
      for (const flag of ['issuer-secret', 'server-secret', 'client-secret', 'self-signed-secret']) {
        const name = flags.get(flag);
        if (name !== undefined) secrets.add(name);
      }
    }
  }
  return [...secrets];
}

/** Names of the Secrets of which a workload's pods have a certificate in a volume. */
function mountedCertificates(workload: KubeObject): readonly string[] {
  const pod = record(record(record(workload['spec'])['template'])['spec']);
  const sources = records(pod['volumes']).flatMap((volume) => [
    ...records(record(volume['projected'])['sources']).map((source) => record(source['secret'])),
    record(volume['secret']),
  ]);
  return sources
    .filter(({ items }) => records(items).some(({ key }) => key === 'tls.crt'))
    .map(({ name, secretName }) => textOf(name ?? secretName));
}
