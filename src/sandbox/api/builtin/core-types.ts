import type { ApiObject } from '../api-object.ts';
import { defineType, fieldColumn, selectable } from '../define-type.ts';
import { getIn, isRecord, listOf, setIn, textOf } from '../json.ts';
import type { ResourceType } from '../resource-type.ts';
import { eventTypes } from './event-types.ts';
import { podDefaults } from './pod-defaults.ts';
import { summarizePod } from './pod-summary.ts';
import { builtinSchema } from './builtin-schemas.ts';
import { validateConfigMap, validateSecret } from '../rules/data-rules.ts';
import { validateService } from '../rules/service-validation.ts';
import { validatePod } from '../rules/workload-rules.ts';
import { createServiceDefaults, serviceColumns } from './service-rules.ts';

const core = { group: '', version: 'v1' };

export function coreTypes(): readonly ResourceType[] {
  return [
    defineType({
      ...core,
      plural: 'namespaces',
      kind: 'Namespace',
      schema: builtinSchema('core.Namespace'),
      namespaced: false,
      shortNames: ['ns'],
      names: 'label',
      status: true,
      columns: [fieldColumn('Status', 'status.phase')],
      selectableFields: selectable('status.phase'),
      setDefaults: namespaceDefaults,
    }),
    podType(),
    defineType({
      ...core,
      plural: 'services',
      kind: 'Service',
      schema: builtinSchema('core.Service'),
      namespaced: true,
      shortNames: ['svc'],
      categories: ['all'],
      names: 'dns1035',
      status: true,
      columns: serviceColumns,
      selectableFields: selectable('spec.clusterIP', 'spec.type'),
      setDefaults: createServiceDefaults(),
      validate: validateService,
    }),
    defineType({
      ...core,
      plural: 'endpoints',
      singular: 'endpoints',
      kind: 'Endpoints',
      schema: builtinSchema('core.Endpoints'),
      namespaced: true,
      shortNames: ['ep'],
      columns: [{ name: 'Endpoints', type: 'string', cell: endpointsCell }],
    }),
    defineType({
      ...core,
      plural: 'secrets',
      kind: 'Secret',
      schema: builtinSchema('core.Secret'),
      namespaced: true,
      columns: [
        fieldColumn('Type', 'type'),
        { name: 'Data', type: 'integer', cell: (object) => size(object['data']) },
      ],
      selectableFields: selectable('type'),
      setDefaults: secretDefaults,
      validate: validateSecret,
    }),
    defineType({
      ...core,
      plural: 'configmaps',
      kind: 'ConfigMap',
      schema: builtinSchema('core.ConfigMap'),
      namespaced: true,
      shortNames: ['cm'],
      validate: validateConfigMap,
      columns: [
        {
          name: 'Data',
          type: 'integer',
          cell: (object) => size(object['data']) + size(object['binaryData']),
        },
      ],
    }),
    nodeType(),
    defineType({
      ...core,
      plural: 'serviceaccounts',
      kind: 'ServiceAccount',
      schema: builtinSchema('core.ServiceAccount'),
      namespaced: true,
      shortNames: ['sa'],
      columns: [{ name: 'Secrets', type: 'integer', cell: (object) => listOf(object['secrets']).length }],
    }),
    ...eventTypes(),
  ];
}

function podType(): ResourceType {
  return defineType({
    ...core,
    plural: 'pods',
    kind: 'Pod',
    schema: builtinSchema('core.Pod'),
    namespaced: true,
    shortNames: ['po'],
    categories: ['all'],
    status: true,
    columns: [
      { name: 'Ready', type: 'string', cell: (pod) => summarizePod(pod).ready },
      { name: 'Status', type: 'string', cell: (pod) => summarizePod(pod).status },
      { name: 'Restarts', type: 'string', cell: (pod) => String(summarizePod(pod).restarts) },
      {
        ...fieldColumn('IP', 'status.podIP', { priority: 1 }),
        cell: (pod) => getIn(pod, ['status', 'podIP']) ?? '<none>',
      },
      {
        ...fieldColumn('Node', 'spec.nodeName', { priority: 1 }),
        cell: (pod) => getIn(pod, ['spec', 'nodeName']) ?? '<none>',
      },
    ],
    selectableFields: selectable(
      'spec.nodeName',
      'spec.restartPolicy',
      'spec.schedulerName',
      'spec.serviceAccountName',
      'spec.hostNetwork',
      'status.phase',
      'status.podIP',
      'status.nominatedNodeName',
    ),
    setDefaults: podDefaults,
    validate: validatePod,
  });
}

function nodeType(): ResourceType {
  return defineType({
    ...core,
    plural: 'nodes',
    kind: 'Node',
    schema: builtinSchema('core.Node'),
    namespaced: false,
    shortNames: ['no'],
    status: true,
    columns: [
      { name: 'Status', type: 'string', cell: nodeStatus },
      { name: 'Roles', type: 'string', cell: nodeRoles },
      { name: 'Age', type: 'date', cell: (node) => node.metadata.creationTimestamp },
      fieldColumn('Version', 'status.nodeInfo.kubeletVersion'),
      { name: 'Internal-IP', type: 'string', priority: 1, cell: (node) => nodeAddress(node, 'InternalIP') },
      { name: 'External-IP', type: 'string', priority: 1, cell: (node) => nodeAddress(node, 'ExternalIP') },
      fieldColumn('OS-Image', 'status.nodeInfo.osImage', { priority: 1 }),
      fieldColumn('Kernel-Version', 'status.nodeInfo.kernelVersion', { priority: 1 }),
      fieldColumn('Container-Runtime', 'status.nodeInfo.containerRuntimeVersion', { priority: 1 }),
    ],
    selectableFields: selectable('spec.unschedulable'),
  });
}

/** The finalizer by which a Namespace outlives its content, and the name label that selectors use. */
function namespaceDefaults(object: ApiObject, previous: ApiObject | undefined): ApiObject {
  const labels = { ...object.metadata.labels, 'kubernetes.io/metadata.name': object.metadata.name };
  const metadata = { ...object.metadata, labels };
  if (previous !== undefined) {
    const phase = object.metadata.deletionTimestamp === undefined ? 'Active' : 'Terminating';
    return { ...object, metadata, status: { ...record(object['status']), phase } };
  }
  return { ...object, metadata, spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } };
}

/** `stringData` is written into `data`, base64, and is never read back. */
function secretDefaults(object: ApiObject): ApiObject {
  const { stringData, ...rest } = object;
  const data: Record<string, unknown> = { ...record(object['data']) };
  for (const [key, value] of Object.entries(record(stringData)))
    data[key] = Buffer.from(textOf(value)).toString('base64');
  const secret = { type: 'Opaque', ...rest } as ApiObject;
  return Object.keys(data).length === 0 ? secret : (setIn(secret, ['data'], data) as ApiObject);
}

function endpointsCell(object: ApiObject): string {
  const addresses = listOf(object['subsets']).flatMap((subset) =>
    listOf(getIn(subset, ['addresses'])).flatMap((address) =>
      listOf(getIn(subset, ['ports'])).map(
        (port) => `${textOf(getIn(address, ['ip']))}:${String(getIn(port, ['port']))}`,
      ),
    ),
  );
  if (addresses.length === 0) return '<none>';
  const more = addresses.length > 3 ? ` + ${addresses.length - 3} more...` : '';
  return `${addresses.slice(0, 3).join(',')}${more}`;
}

function nodeStatus(node: ApiObject): string {
  const ready = listOf(getIn(node, ['status', 'conditions'])).find(
    (item) => getIn(item, ['type']) === 'Ready',
  );
  const status = ready === undefined ? 'Unknown' : getIn(ready, ['status']) === 'True' ? 'Ready' : 'NotReady';
  return getIn(node, ['spec', 'unschedulable']) === true ? `${status},SchedulingDisabled` : status;
}

function nodeRoles(node: ApiObject): string {
  const prefix = 'node-role.kubernetes.io/';
  const roles = Object.keys(node.metadata.labels ?? {}).filter((label) => label.startsWith(prefix));
  return roles.length === 0 ? '<none>' : roles.map((label) => label.slice(prefix.length)).join(',');
}

function nodeAddress(node: ApiObject, kind: string): string {
  const found = listOf(getIn(node, ['status', 'addresses'])).find((item) => getIn(item, ['type']) === kind);
  return textOf(getIn(found, ['address'])) || '<none>';
}

function size(value: unknown): number {
  return isRecord(value) ? Object.keys(value).length : 0;
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}
