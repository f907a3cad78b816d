import { apiGroup } from '../api/api-group.ts';
import type { KubeObject } from '../api/kube-object.ts';
import type { ConfigLibrary } from '../config/config-library.ts';
import { configInvalid } from '../config/config-invalid.ts';
import { resolveConfig } from '../config/resolve-config.ts';
import type { Resolution } from '../config/merge-documents.ts';
import type { KubeClient } from '../kube/kube-client.ts';
import { describeFailure } from '../kube/kube-failure.ts';
import { CodedError } from '../lib/coded-error.ts';
import { isRecord } from '../lib/is-record.ts';
import { shippedLibraries } from './shipped-libraries.ts';

export interface ClusterConfig {
  /** The HAProxyTemplateConfig as the API has it. */
  readonly object: KubeObject;
  readonly resolution: Extract<Resolution, { readonly ok: true }>;
}

export interface ClusterConfigRequest {
  readonly namespace: string;
  readonly name: string;
  /** Folder of the libraries that this program brings along. */
  readonly libraries: string;
  readonly signal: AbortSignal;
}

/**
 * A configuration of the cluster, with its libraries and defaults: what `haptic run` makes of it.
 *
 * @throws CodedError `HAPTIC_ERR_CLI_KUBE` when it cannot be read, `HAPTIC_ERR_CONFIG_INVALID` naming object and field
 */
export async function clusterConfig(
  client: KubeClient,
  { namespace, name, libraries, signal }: ClusterConfigRequest,
): Promise<ClusterConfig> {
  const { apiVersion } = apiGroup;
  const found = await client.get({ apiVersion, resources: 'haproxytemplateconfigs', namespace }, name, {
    signal,
  });
  if (!found.ok)
    throw new CodedError(
      'HAPTIC_ERR_CLI_KUBE',
      `HAProxyTemplateConfig ${namespace}/${name} cannot be read: ${describeFailure(found.failure)}`,
    );
  const own: ConfigLibrary[] = [];
  for await (const page of client.list(
    { apiVersion, resources: 'haproxytemplatelibraries', namespace },
    { signal },
  )) {
    if (!page.ok)
      throw new CodedError(
        'HAPTIC_ERR_CLI_KUBE',
        `libraries of ${namespace} cannot be listed: ${describeFailure(page.failure)}`,
      );
    for (const { metadata, spec } of page.value.items)
      if (isRecord(spec)) own.push({ name: metadata.name, revision: String(spec['revision']), spec });
  }
  const resolution = resolveConfig({
    name,
    spec: found.value['spec'] ?? {},
    libraries: own,
    shipped: await shippedLibraries(libraries),
  });
  if (!resolution.ok) throw configInvalid(resolution.errors);
  return { object: found.value, resolution };
}
