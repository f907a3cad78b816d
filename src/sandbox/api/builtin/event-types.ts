import type { ApiObject } from '../api-object.ts';
import { defineType, selectable } from '../define-type.ts';
import { getIn, textOf } from '../json.ts';
import { builtinSchema } from './builtin-schemas.ts';
import type { Column, ResourceType } from '../resource-type.ts';

/** Fields that Events call differently in `events.k8s.io/v1` and, as they are stored, in `v1`. */
const renamed: readonly (readonly [events: string, core: string])[] = [
  ['regarding', 'involvedObject'],
  ['note', 'message'],
  ['reportingController', 'reportingComponent'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
];

/** Events in both API groups: one set of objects, two views. */
export function eventTypes(): readonly ResourceType[] {
  const common = {
    plural: 'events',
    kind: 'Event',
    namespaced: true,
    shortNames: ['ev'],
    storage: '/events',
    names: 'path' as const,
    columns: eventColumns,
  };
  const fields = selectable(
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'involvedObject.apiVersion',
    'involvedObject.resourceVersion',
    'involvedObject.fieldPath',
    'reason',
    'reportingComponent',
    'source',
    'type',
  );
  const regarding = selectable(
    'regarding.kind',
    'regarding.namespace',
    'regarding.name',
    'regarding.uid',
    'reason',
    'reportingController',
    'type',
  );
  return [
    defineType({
      ...common,
      group: '',
      version: 'v1',
      schema: builtinSchema('core.Event'),
      selectableFields: fields,
    }),
    defineType({
      ...common,
      group: 'events.k8s.io',
      version: 'v1',
      schema: builtinSchema('events.Event'),
      selectableFields: regarding,
      toStorage: (object) => rename({ ...object, apiVersion: 'v1' }, 0),
      fromStorage: (object) => rename({ ...object, apiVersion: 'events.k8s.io/v1' }, 1),
    }),
  ];
}

function rename(object: ApiObject, from: 0 | 1): ApiObject {
  const names = new Map(renamed.map((pair) => [pair[from], pair[1 - from] ?? '']));
  const fields = Object.entries(object).map(([field, value]) => [names.get(field) ?? field, value]);
  return Object.fromEntries(fields) as ApiObject;
}

const eventColumns: readonly Column[] = [
  { name: 'Last Seen', type: 'date', cell: lastSeen },
  { name: 'Type', type: 'string', cell: (event) => event['type'] },
  { name: 'Reason', type: 'string', cell: (event) => event['reason'] },
  { name: 'Object', type: 'string', cell: subject },
  { name: 'Subobject', type: 'string', priority: 1, cell: (event) => getIn(subjectOf(event), ['fieldPath']) },
  { name: 'Source', type: 'string', priority: 1, cell: source },
  { name: 'Message', type: 'string', cell: (event) => textOf(event['message'] ?? event['note']).trim() },
  { name: 'First Seen', type: 'date', priority: 1, cell: firstSeen },
  {
    name: 'Count',
    type: 'integer',
    priority: 1,
    cell: (event) => getIn(event, ['series', 'count']) ?? event['count'] ?? event['deprecatedCount'] ?? 1,
  },
  { name: 'Name', type: 'string', priority: 1, format: 'name', cell: (event) => event.metadata.name },
];

function subjectOf(event: ApiObject): unknown {
  return event['involvedObject'] ?? event['regarding'];
}

function subject(event: ApiObject): string {
  const kind = textOf(getIn(subjectOf(event), ['kind'])).toLowerCase();
  return `${kind}/${textOf(getIn(subjectOf(event), ['name']))}`;
}

function source(event: ApiObject): string {
  const reporter = textOf(event['reportingComponent'] ?? event['reportingController']);
  return reporter || textOf(getIn(event['source'] ?? event['deprecatedSource'], ['component']));
}

function lastSeen(event: ApiObject): unknown {
  return (
    getIn(event, ['series', 'lastObservedTime']) ??
    event['lastTimestamp'] ??
    event['deprecatedLastTimestamp'] ??
    firstSeen(event)
  );
}

function firstSeen(event: ApiObject): unknown {
  return (
    event['firstTimestamp'] ??
    event['deprecatedFirstTimestamp'] ??
    event['eventTime'] ??
    event.metadata.creationTimestamp
  );
}
