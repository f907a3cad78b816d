import type { ApiObject } from '../api-object.ts';
import { defineType, selectable } from '../define-type.ts';
import { getIn, isRecord, setIn } from '../json.ts';
import type { Column, ResourceType } from '../resource-type.ts';
import { selectorText } from './selector-text.ts';
import { builtinSchema } from './builtin-schemas.ts';
import { validateWorkload } from '../rules/workload-rules.ts';
import { containerTexts, podSpecDefaults } from './pod-defaults.ts';

const apps = {
  validate: validateWorkload,
  group: 'apps',
  version: 'v1',
  namespaced: true,
  status: true,
  generation: true,
  categories: ['all'],
};

const scale = {
  replicas: ['spec', 'replicas'],
  statusReplicas: ['status', 'replicas'],
  selector: (object: ApiObject) => selectorText(getIn(object, ['spec', 'selector'])).replace('<none>', ''),
};

export function appsTypes(): readonly ResourceType[] {
  return [
    defineType({
      ...apps,
      plural: 'deployments',
      kind: 'Deployment',
      schema: builtinSchema('apps.Deployment'),
      shortNames: ['deploy'],
      scale,
      columns: [
        {
          name: 'Ready',
          type: 'string',
          cell: (object) => `${count(object, 'readyReplicas')}/${wanted(object)}`,
        },
        { name: 'Up-to-date', type: 'integer', cell: (object) => count(object, 'updatedReplicas') },
        { name: 'Available', type: 'integer', cell: (object) => count(object, 'availableReplicas') },
        ...workloadColumns,
      ],
      setDefaults: (object) =>
        withDefaults(object, {
          replicas: 1,
          revisionHistoryLimit: 10,
          progressDeadlineSeconds: 600,
          strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
        }),
    }),
    defineType({
      ...apps,
      plural: 'replicasets',
      kind: 'ReplicaSet',
      schema: builtinSchema('apps.ReplicaSet'),
      shortNames: ['rs'],
      scale,
      columns: [
        { name: 'Desired', type: 'integer', cell: wanted },
        { name: 'Current', type: 'integer', cell: (object) => count(object, 'replicas') },
        { name: 'Ready', type: 'integer', cell: (object) => count(object, 'readyReplicas') },
        ...workloadColumns,
      ],
      selectableFields: selectable('status.replicas'),
      setDefaults: (object) => withDefaults(object, { replicas: 1 }),
    }),
    defineType({
      ...apps,
      plural: 'statefulsets',
      kind: 'StatefulSet',
      schema: builtinSchema('apps.StatefulSet'),
      shortNames: ['sts'],
      scale,
      columns: [
        {
          name: 'Ready',
          type: 'string',
          cell: (object) => `${count(object, 'readyReplicas')}/${wanted(object)}`,
        },
        ...workloadColumns.slice(0, -1),
      ],
      setDefaults: (object) =>
        withDefaults(object, {
          replicas: 1,
          podManagementPolicy: 'OrderedReady',
          revisionHistoryLimit: 10,
          updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
        }),
    }),
    defineType({
      ...apps,
      plural: 'daemonsets',
      kind: 'DaemonSet',
      schema: builtinSchema('apps.DaemonSet'),
      shortNames: ['ds'],
      columns: [
        { name: 'Desired', type: 'integer', cell: (object) => count(object, 'desiredNumberScheduled') },
        { name: 'Current', type: 'integer', cell: (object) => count(object, 'currentNumberScheduled') },
        { name: 'Ready', type: 'integer', cell: (object) => count(object, 'numberReady') },
        { name: 'Up-to-date', type: 'integer', cell: (object) => count(object, 'updatedNumberScheduled') },
        { name: 'Available', type: 'integer', cell: (object) => count(object, 'numberAvailable') },
        ...workloadColumns,
      ],
      setDefaults: (object) =>
        withDefaults(object, {
          revisionHistoryLimit: 10,
          updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
        }),
    }),
  ];
}

const workloadColumns: readonly Column[] = [
  { name: 'Age', type: 'date', cell: (object) => object.metadata.creationTimestamp },
  {
    name: 'Containers',
    type: 'string',
    priority: 1,
    cell: (object) => containerTexts(getIn(object, ['spec', 'template'])).names,
  },
  {
    name: 'Images',
    type: 'string',
    priority: 1,
    cell: (object) => containerTexts(getIn(object, ['spec', 'template'])).images,
  },
  {
    name: 'Selector',
    type: 'string',
    priority: 1,
    cell: (object) => selectorText(getIn(object, ['spec', 'selector'])),
  },
];

function withDefaults(object: ApiObject, defaults: Readonly<Record<string, unknown>>): ApiObject {
  const spec = object['spec'];
  if (!isRecord(spec)) return object;
  const template = podSpecDefaults(getIn(spec, ['template', 'spec']));
  const stated = Object.entries(spec).filter(([field, value]) => !(field in defaults && isEmpty(value)));
  const complete = { ...defaults, ...Object.fromEntries(stated) };
  return {
    ...object,
    spec: template === undefined ? complete : setIn(complete, ['template', 'spec'], template),
  };
}

function isEmpty(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length === 0;
}

function count(object: ApiObject, field: string): number {
  return Number(getIn(object, ['status', field]) ?? 0);
}

function wanted(object: ApiObject): number {
  return Number(getIn(object, ['spec', 'replicas']) ?? 0);
}
