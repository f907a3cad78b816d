import { apiGroup } from '../../api/api-group.ts';
import { apiVersionsOf } from '../../api/api-versions-of.ts';
import type { TemplateConfig } from '../../api/template-config.ts';
import type { StatusPlaces } from '../../kube/status-objects.ts';

/**
 * Where objects are whose status this controller may write: of the configuration's own kind in its namespace, of a watched kind where it is
 * watched. A controller has the right to look there, and maybe nowhere else.
 */
export function statusPlaces(
  current: () => { readonly config: Pick<TemplateConfig, 'watchedResources'> } | undefined,
  identity: { readonly namespace: string },
): StatusPlaces {
  return ({ apiVersion, resources }) => {
    if (groupOf(apiVersion) === apiGroup.group) return [identity.namespace];
    const watched = Object.values(current()?.config.watchedResources ?? {}).filter(
      (resource) =>
        resource.resources === resources &&
        apiVersionsOf(resource).some((version) => groupOf(version) === groupOf(apiVersion)),
    );
    const places = new Set<string>();
    for (const { namespaces } of watched) {
      if (namespaces === undefined) return undefined;
      for (const namespace of namespaces) places.add(namespace);
    }
    return places.size === 0 ? undefined : [...places];
  };
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
}
