import { timestamp, type ApiContext } from '../api-context.ts';
import type { ApiObject } from '../api-object.ts';
import { getIn, isRecord, jsonEqual, listOf } from '../json.ts';
import type { ResourceType } from '../resource-type.ts';
import { customTypes } from './custom-types.ts';

/**
 * Follows CustomResourceDefinitions: their kinds are there as soon as the write that brought them is done, and the CRD
 * says so in its status. Deleting a CRD removes its objects.
 */
export function registerCustomKinds(context: ApiContext): void {
  context.afterCommit((type, { type: change, entry }) => {
    if (type.group !== 'apiextensions.k8s.io') return;
    const owner = entry.name;
    if (change === 'DELETED') {
      removeObjects(context, customTypes(entry.object));
      context.registry.replace(owner, []);
      return;
    }
    try {
      context.registry.replace(owner, customTypes(entry.object));
      publish(context, type, entry.object, undefined);
    } catch (error) {
      publish(
        context,
        type,
        entry.object,
        error instanceof Error ? error.message : 'the schema cannot be used',
      );
    }
  });
}

function removeObjects(context: ApiContext, types: readonly ResourceType[]): void {
  const [type] = types;
  if (type === undefined) return;
  for (const entry of context.storageOf(type).entries()) context.remove(type, entry);
}

function publish(context: ApiContext, type: ResourceType, crd: ApiObject, problem: string | undefined): void {
  const spec = crd['spec'];
  const stored = listOf(getIn(spec, ['versions'])).find((version) => getIn(version, ['storage']) === true);
  const storedVersions = new Set([
    ...listOf(getIn(crd, ['status', 'storedVersions'])),
    getIn(stored, ['name']),
  ]);
  const time = timestamp(context.now());
  const good = problem === undefined;
  const condition = (kind: string, reason: string, message: string) => {
    const status = good ? 'True' : 'False';
    const old = listOf(getIn(crd, ['status', 'conditions'])).find((item) => getIn(item, ['type']) === kind);
    const same = isRecord(old) && old['status'] === status;
    return {
      type: kind,
      status,
      lastTransitionTime: same ? old['lastTransitionTime'] : time,
      reason,
      message,
    };
  };
  const status = {
    conditions: [
      condition('NamesAccepted', good ? 'NoConflicts' : 'SchemaUnusable', problem ?? 'no conflicts found'),
      condition(
        'Established',
        good ? 'InitialNamesAccepted' : 'NotAccepted',
        problem ?? 'the initial names have been accepted',
      ),
    ],
    acceptedNames: getIn(spec, ['names']),
    storedVersions: [...storedVersions],
  };
  if (!jsonEqual(crd['status'], status)) context.commit(type, { ...crd, status });
}
