import type { ApiObject } from '../api-object.ts';
import { defineType, fieldColumn } from '../define-type.ts';
import { getIn, isRecord, textOf } from '../json.ts';
import { crdType } from '../crd/crd-type.ts';
import { builtinSchema } from './builtin-schemas.ts';
import type { ResourceType } from '../resource-type.ts';

/** Leases, CRDs, RBAC, disruption budgets and Jobs: kept, listed and watched; nobody acts on most of them. */
export function supportTypes(): readonly ResourceType[] {
  return [
    defineType({
      group: 'coordination.k8s.io',
      version: 'v1',
      plural: 'leases',
      kind: 'Lease',
      schema: builtinSchema('coord.Lease'),
      namespaced: true,
      columns: [fieldColumn('Holder', 'spec.holderIdentity')],
    }),
    defineType({
      group: 'policy',
      version: 'v1',
      plural: 'poddisruptionbudgets',
      kind: 'PodDisruptionBudget',
      schema: builtinSchema('policy.PodDisruptionBudget'),
      namespaced: true,
      shortNames: ['pdb'],
      status: true,
      generation: true,
      columns: [
        {
          name: 'Min Available',
          type: 'string',
          cell: (object) => getIn(object, ['spec', 'minAvailable']) ?? 'N/A',
        },
        {
          name: 'Max Unavailable',
          type: 'string',
          cell: (object) => getIn(object, ['spec', 'maxUnavailable']) ?? 'N/A',
        },
        {
          name: 'Allowed Disruptions',
          type: 'integer',
          cell: (object) => getIn(object, ['status', 'disruptionsAllowed']) ?? 0,
        },
      ],
    }),
    defineType({
      group: 'batch',
      version: 'v1',
      plural: 'jobs',
      kind: 'Job',
      schema: builtinSchema('batch.Job'),
      namespaced: true,
      categories: ['all'],
      status: true,
      generation: true,
      columns: [{ name: 'Completions', type: 'string', cell: completions }],
    }),
    webhookConfigurationType(),
    crdType(),
    ...rbacTypes(),
  ];
}

/** Asked by the API itself, see `call-webhooks.ts`. */
function webhookConfigurationType(): ResourceType {
  return defineType({
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    plural: 'validatingwebhookconfigurations',
    kind: 'ValidatingWebhookConfiguration',
    schema: builtinSchema('admreg.ValidatingWebhookConfiguration'),
    namespaced: false,
    generation: true,
    columns: [
      {
        name: 'Webhooks',
        type: 'integer',
        cell: (object) => {
          const webhooks = object['webhooks'];
          return Array.isArray(webhooks) ? webhooks.length : 0;
        },
      },
    ],
  });
}

function rbacTypes(): readonly ResourceType[] {
  const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1', names: 'path' as const };
  const created = {
    name: 'Created At',
    type: 'string' as const,
    cell: (object: ApiObject) => object.metadata.creationTimestamp,
  };
  const role = { name: 'Role', type: 'string' as const, cell: roleCell };
  return [
    defineType({
      ...rbac,
      plural: 'roles',
      kind: 'Role',
      schema: builtinSchema('rbac.Role'),
      namespaced: true,
      columns: [created],
    }),
    defineType({
      ...rbac,
      plural: 'clusterroles',
      kind: 'ClusterRole',
      schema: builtinSchema('rbac.ClusterRole'),
      namespaced: false,
      columns: [created],
    }),
    defineType({
      ...rbac,
      plural: 'rolebindings',
      kind: 'RoleBinding',
      schema: builtinSchema('rbac.RoleBinding'),
      namespaced: true,
      columns: [role],
    }),
    defineType({
      ...rbac,
      plural: 'clusterrolebindings',
      kind: 'ClusterRoleBinding',
      schema: builtinSchema('rbac.ClusterRoleBinding'),
      namespaced: false,
      columns: [role],
    }),
  ];
}

function roleCell(object: ApiObject): string {
  const reference = object['roleRef'];
  return isRecord(reference) ? `${textOf(reference['kind'])}/${textOf(reference['name'])}` : '';
}

function completions(object: ApiObject): string {
  const done = Number(getIn(object, ['status', 'succeeded']) ?? 0);
  const wanted = Number(getIn(object, ['spec', 'completions']) ?? 1);
  return `${done}/${wanted}`;
}
