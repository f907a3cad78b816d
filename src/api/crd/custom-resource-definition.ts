import { apiGroup } from '../api-group.ts';
import { version } from '../../lib/version.ts';
import type { KubeObject } from '../kube-object.ts';
import type { CustomResource, PrinterColumn } from './custom-resource.ts';

/** The CustomResourceDefinition of a kind, as `kubectl apply --server-side` takes it. */
export function customResourceDefinition(resource: CustomResource): KubeObject {
  const { kind, plural, singular, shortNames, description, columns, spec, status } = resource;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${apiGroup.group}`,
      labels: {
        'app.kubernetes.io/name': 'haptic',
        'app.kubernetes.io/part-of': 'haptic',
        'app.kubernetes.io/version': version,
      },
    },
    spec: {
      group: apiGroup.group,
      scope: 'Namespaced',
      names: { kind, listKind: `${kind}List`, plural, singular, shortNames, categories: ['haptic'] },
      versions: [
        {
          name: apiGroup.version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: [...columns.map(columnOf), age],
          schema: {
            openAPIV3Schema: {
              type: 'object',
              description,
              required: ['spec'],
              properties: {
                apiVersion: { type: 'string', description: `${apiGroup.apiVersion}.` },
                kind: { type: 'string', description: `${kind}.` },
                metadata: { type: 'object' },
                spec,
                status,
              },
            },
          },
        },
      ],
    },
  };
}

const age = columnOf({
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'How long ago it was created.',
});

function columnOf({ wide = false, ...column }: PrinterColumn): object {
  return { ...column, ...(wide && { priority: 1 }) };
}
