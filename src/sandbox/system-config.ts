import manifest from '../../package.json' with { type: 'json' };
import { apiGroup } from '../api/api-group.ts';
import { customResourceDefinition } from '../api/crd/custom-resource-definition.ts';
import { customResources } from '../api/crd/custom-resources.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { systemNamespace } from './system-objects.ts';

/** The controller's configuration in a sandbox, and the libraries that it is built on: those of this program. */
export const sandboxConfig = {
  name: 'haproxy-config',
  libraries: ['base', 'ssl', 'policies', 'policies-access', 'policies-requests', 'ingress'],
} as const;

/** The CRDs, then the configuration itself. */
export function systemConfig(spec: Readonly<Record<string, unknown>>): readonly KubeObject[] {
  const { version } = manifest;
  return [
    ...customResources.map(customResourceDefinition),
    {
      apiVersion: apiGroup.apiVersion,
      kind: 'HAProxyTemplateConfig',
      metadata: { name: sandboxConfig.name, namespace: systemNamespace },
      spec: {
        libraryRefs: sandboxConfig.libraries.map((name) => ({ name, revision: version })),
        ...spec,
      },
    },
  ];
}
