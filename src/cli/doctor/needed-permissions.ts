import { apiVersionsOf } from '../../api/api-versions-of.ts';
import type { TemplateConfig } from '../../api/template-config.ts';
import type { Permission } from '../ask-access.ts';
import type { Installation } from './installation.ts';

const group = 'haproxy-haptic.org';
const written = ['get', 'list', 'create', 'patch', 'delete'];

/** What a controller needs to do its work: for a configuration, and for how it was installed, so far as that is known. */
export function neededPermissions({
  config,
  installation,
  namespace,
}: {
  readonly config?: TemplateConfig;
  readonly installation?: Installation;
  readonly namespace: string;
}): readonly Permission[] {
  const needed: Permission[] = [];
  const need = (verbs: readonly string[], permission: Omit<Permission, 'verb'>): void =>
    void needed.push(...verbs.map((verb) => ({ ...permission, verb })));
  const resources = Object.values(config?.watchedResources ?? {});
  for (const resource of resources) {
    const [apiVersion = 'v1'] = apiVersionsOf(resource);
    const watched = {
      group: apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '',
      resource: resource.resources,
    };
    const verbs = resource.store === 'on-demand' ? ['get', 'list', 'watch'] : ['list', 'watch'];
    for (const where of resource.namespaces ?? [undefined])
      need(verbs, { ...watched, ...(where !== undefined && { namespace: where }) });
  }
  need(['list', 'watch'], { group: '', resource: 'pods', namespace });
  need(['get', 'list', 'watch'], { group, resource: 'haproxytemplateconfigs', namespace });
  need(['list', 'watch'], { group, resource: 'haproxytemplatelibraries', namespace });
  need(['patch'], {
    group,
    resource: 'haproxytemplateconfigs',
    subresource: 'status',
    namespace,
    ...named(installation?.configName),
  });
  if (config === undefined) return needed;
  if (resources.some(({ namespaceSelector }) => namespaceSelector !== undefined))
    need(['list', 'watch'], { group: '', resource: 'namespaces' });
  if (resources.some(({ resources: name }) => name === 'ingresses'))
    need(['patch'], { group: 'networking.k8s.io', resource: 'ingresses', subresource: 'status' });
  need(['create', 'patch'], { group: 'events.k8s.io', resource: 'events' });
  const { leaderElection, configPublishing } = config.controller;
  if (leaderElection.enabled) {
    const lease = { group: 'coordination.k8s.io', resource: 'leases', namespace };
    need(['create'], lease);
    need(['get', 'update'], { ...lease, name: installation?.leaseName ?? leaderElection.leaseName });
  }
  if (!leaderElection.enabled && configPublishing.enabled && installation?.configName !== undefined) {
    // Without an election, what went out last is written down on a Lease of its own.
    const lease = { group: 'coordination.k8s.io', resource: 'leases', namespace };
    need(['create'], lease);
    need(['get', 'update'], { ...lease, name: `${installation.configName}-retained` });
  }
  if (configPublishing.enabled) {
    for (const resource of ['haproxycfgs', 'haproxymapfiles', 'haproxygeneralfiles', 'haproxycrtlistfiles'])
      need(written, { group, resource, namespace });
    need(['patch'], { group, resource: 'haproxycfgs', subresource: 'status', namespace });
    need(written, { group: '', resource: 'secrets', namespace });
  }
  const configuration = installation?.webhook?.configuration;
  if (configuration !== undefined)
    need(['patch'], {
      ...{ group: 'admissionregistration.k8s.io', resource: 'validatingwebhookconfigurations' },
      name: configuration,
    });
  return needed;
}

function named(name: string | undefined): { readonly name?: string } {
  return name === undefined ? {} : { name };
}
