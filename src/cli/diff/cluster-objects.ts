import type { KubeObject } from '../../api/kube-object.ts';
import { apiVersionsOf } from '../../api/api-versions-of.ts';
import type { TemplateConfig, WatchedResource } from '../../api/template-config.ts';
import type { KubeClient } from '../../kube/kube-client.ts';
import { describeFailure } from '../../kube/kube-failure.ts';
import { CodedError } from '../../lib/coded-error.ts';

type Fixtures = Readonly<Record<string, readonly KubeObject[]>>;

/**
 * The objects that a cluster has of every watched resource, by the resources' names; with the HAProxy pods, and the namespaces where a
 * selector looks at them.
 *
 * @throws CodedError `HAPTIC_ERR_CLI_KUBE` when one cannot be listed, or none of its versions is served and it is not optional
 */
export async function clusterObjects(
  client: KubeClient,
  config: Pick<TemplateConfig, 'watchedResources' | 'podSelector'>,
  signal: AbortSignal,
): Promise<Fixtures> {
  const fixtures: Record<string, readonly KubeObject[]> = {};
  for (const [name, resource] of Object.entries(config.watchedResources))
    fixtures[name] = await objectsOf(client, name, resource, signal);
  const labels = Object.entries(config.podSelector.matchLabels).map(([key, value]) => `${key}=${value}`);
  const pods = { apiVersion: 'v1', resources: 'pods' };
  fixtures['haproxy-pods'] = await objectsOf(
    client,
    'haproxy-pods',
    { ...pods, labelSelector: labels.join(',') },
    signal,
  );
  const looksAtNamespaces = Object.values(config.watchedResources).some(
    ({ namespaceSelector }) => namespaceSelector !== undefined,
  );
  if (looksAtNamespaces)
    fixtures['namespaces'] ??= await objectsOf(
      client,
      'namespaces',
      { ...pods, resources: 'namespaces' },
      signal,
    );
  return fixtures;
}

async function objectsOf(
  client: KubeClient,
  name: string,
  resource: Pick<WatchedResource, 'apiVersion' | 'apiVersions' | 'resources' | 'labelSelector' | 'optional'>,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const versions = apiVersionsOf(resource);
  for (const apiVersion of versions) {
    const objects: KubeObject[] = [];
    let isServed = true;
    const { resources, labelSelector } = resource;
    const pages = client.list(
      { apiVersion, resources },
      { signal, ...(labelSelector !== undefined && { labelSelector }) },
    );
    for await (const page of pages) {
      if (page.ok) objects.push(...page.value.items);
      else if (page.failure.kind === 'http' && page.failure.status === 404) isServed = false;
      else throw unlisted(name, describeFailure(page.failure));
    }
    if (isServed) return objects;
  }
  if (resource.optional === true) return [];
  throw unlisted(name, `the API serves no ${resource.resources} of ${versions.join(' or ')}`);
}

function unlisted(name: string, reason: string): CodedError {
  return new CodedError('HAPTIC_ERR_CLI_KUBE', `watchedResources.${name} cannot be listed: ${reason}`);
}
