import type { KubeObject } from '../api/kube-object.ts';
import { digest } from '../lib/digest.ts';
import { isRecord } from '../lib/is-record.ts';
import { type JsonObject, type ObjectReference, referenceKey } from '../protocol/declared.ts';
import { type StatusManager, statusManagers } from '../protocol/status-manager.ts';
import { applyObject } from './apply-object.ts';
import { kubeClient } from './kube-client.ts';
import { describeFailure, type KubeFailure, type KubeResult } from './kube-failure.ts';
import type { KubeTransport } from './kube-transport.ts';
import { createKindResolver } from './resolve-kind.ts';

/** What is sent for one field manager. */
export interface StatusToApply {
  readonly target: ObjectReference;
  readonly manager: StatusManager;
  /** Absent: the manager gives up what it has. */
  readonly status?: JsonObject;
  /** Only this very object is meant. */
  readonly uid?: string;
}

/**
 * How a write ended. `conflict`: the object changed meanwhile, or is another one. `refused`: it will be as long as nobody changes
 * something. `forbidden`: so will every object of the kind. `unavailable`: so may everything.
 */
export type StatusApplied =
  | { readonly kind: 'done'; readonly object: KubeObject }
  | { readonly kind: 'gone' }
  | { readonly kind: 'conflict' | 'refused' | 'forbidden'; readonly message: string }
  | { readonly kind: 'unavailable'; readonly message: string; readonly retryAfterMs?: number };

type StatusKind = Pick<ObjectReference, 'apiVersion' | 'kind'>;

export interface FoundStatus {
  readonly target: ObjectReference;
  readonly uid: string;
  /** Fields below `status`, as `fieldsV1` has them. */
  readonly fields: ReadonlyMap<StatusManager, unknown>;
}

/** Statuses in the cluster, by server-side apply. Nothing here rejects, and nothing is tried twice. */
export interface StatusObjects {
  readonly apply: (status: StatusToApply, signal: AbortSignal) => Promise<StatusApplied>;
  /** Objects of a kind with fields of ours in their status, by `referenceKey`: of their metadata alone. */
  readonly inventory: (
    kind: StatusKind,
    signal: AbortSignal,
  ) => Promise<KubeResult<ReadonlyMap<string, FoundStatus>>>;
  /** Kinds that were ever written down. */
  readonly kinds: (signal: AbortSignal) => Promise<KubeResult<readonly StatusKind[]>>;
  readonly writeKinds: (kinds: readonly StatusKind[], signal: AbortSignal) => Promise<KubeResult<unknown>>;
}

/** In which namespaces objects of a kind can be; undefined: in all. */
export type StatusPlaces = (kind: {
  readonly apiVersion: string;
  readonly resources: string;
}) => readonly string[] | undefined;

const keeper = 'haptic-statuses';

/**
 * @param identity the configuration, beside which a ConfigMap says of which kinds statuses were written
 * @param placesOf where an inventory looks
 */
export function statusObjects(
  transport: KubeTransport,
  identity: { readonly namespace: string; readonly name: string },
  placesOf: StatusPlaces,
): StatusObjects {
  const client = kubeClient(transport);
  const resolveKind = createKindResolver(transport);
  const { namespace } = identity;
  const name = `${identity.name.slice(0, 240)}-statuses`;
  const names = managerNames(identity);

  return {
    apply: async ({ target, manager, status, uid }, signal) => {
      const { apiVersion, kind } = target;
      const served = await resolveKind(apiVersion, kind, signal);
      if (!served.ok) return refusal(served.failure, target, '');
      const { namespaced, resources } = served.value;
      const object: KubeObject = {
        apiVersion,
        kind,
        metadata: {
          name: target.name,
          ...(namespaced && { namespace: target.namespace }),
          ...(uid !== undefined && { uid }),
        },
        ...(status !== undefined && { status }),
      };
      // Among ourselves: a phase takes over what an earlier one said.
      const options = { force: true, subresource: 'status', resolveKind, signal };
      let applied = await applyObject(transport, object, names[manager], options);
      if (applied.ok && hasFields(applied.value.metadata, manager)) {
        const { status: _status, ...rest } = object;
        applied = await applyObject(transport, rest, manager, options);
      }
      return applied.ok
        ? { kind: 'done', object: applied.value }
        : refusal(applied.failure, target, resources);
    },
    inventory: async ({ apiVersion, kind }, signal) => {
      const found = new Map<string, FoundStatus>();
      const served = await resolveKind(apiVersion, kind, signal);
      // A kind that is not served any more has no objects.
      if (!served.ok) return isNotFound(served.failure) ? { ok: true, value: found } : served;
      const { resources, namespaced } = served.value;
      const places = namespaced ? placesOf({ apiVersion, resources }) : undefined;
      for (const place of places ?? [undefined]) {
        const ref = { apiVersion, resources, ...(place !== undefined && { namespace: place }) };
        for await (const page of client.list(ref, { metadataOnly: true, signal })) {
          if (!page.ok) return page;
          for (const { metadata } of page.value.items) {
            const fields = ownFields(metadata, names);
            if (fields.size === 0) continue;
            const target = { apiVersion, kind, namespace: metadata.namespace ?? '', name: metadata.name };
            found.set(referenceKey(target), { target, uid: metadata.uid ?? '', fields });
          }
        }
      }
      return { ok: true, value: found };
    },
    kinds: async (signal) => {
      const found = await client.get({ apiVersion: 'v1', resources: 'configmaps', namespace }, name, {
        signal,
      });
      if (!found.ok) return isNotFound(found.failure) ? { ok: true, value: [] } : found;
      const data = found.value['data'];
      const lines = isRecord(data) && typeof data['kinds'] === 'string' ? data['kinds'].split('\n') : [];
      return { ok: true, value: lines.flatMap(kindOfLine) };
    },
    writeKinds: (kinds, signal) => {
      const lines = [...new Set(kinds.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`))].sort();
      const inventory: KubeObject = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace },
        data: { kinds: lines.join('\n') },
      };
      return applyObject(transport, inventory, keeper, { force: true, resolveKind, signal });
    },
  };
}

function kindOfLine(line: string): readonly StatusKind[] {
  const [apiVersion, kind] = line.split(' ');
  return apiVersion === undefined || kind === undefined ? [] : [{ apiVersion, kind }];
}

type ManagerNames = Readonly<Record<StatusManager, string>>;

/** Longest name of a field manager that the API takes. */
const maxManagerName = 128;

/** Of several installations in a cluster, each knows its own fields. */
function managerNames({
  namespace,
  name,
}: {
  readonly namespace: string;
  readonly name: string;
}): ManagerNames {
  const nameOf = (manager: StatusManager): string => {
    const full = `${manager}.${namespace}.${name}`;
    return full.length <= maxManagerName ? full : `${manager}.${digest(`${namespace}/${name}`)}`;
  };
  return {
    'haptic-rendered': nameOf('haptic-rendered'),
    'haptic-deployed': nameOf('haptic-deployed'),
    'haptic-deployFailed': nameOf('haptic-deployFailed'),
    'haptic-validateFailed': nameOf('haptic-validateFailed'),
    'haptic-renderFailed': nameOf('haptic-renderFailed'),
    'haptic-objects': nameOf('haptic-objects'),
  };
}

function ownFields(metadata: object, names: ManagerNames): ReadonlyMap<StatusManager, unknown> {
  const fields = new Map<StatusManager, unknown>();
  for (const [name, found] of statusFields(metadata)) {
    const manager = statusManagers.find((one) => names[one] === name);
    if (manager !== undefined) fields.set(manager, found);
  }
  return fields;
}

/** Of earlier versions, whose managers had the same names in all installations: given up by whoever writes in their place. */
function hasFields(metadata: object, name: string): boolean {
  return statusFields(metadata).some(([one]) => one === name);
}

/** `metadata.managedFields` of the API, which objects in stores do not have: fields below `status` by field manager. */
function statusFields(metadata: object): readonly (readonly [string, unknown])[] {
  const entries: unknown = 'managedFields' in metadata ? metadata.managedFields : undefined;
  return (Array.isArray(entries) ? entries.filter(isRecord) : []).flatMap((entry) => {
    const { manager, subresource, fieldsV1: all } = entry;
    if (typeof manager !== 'string' || subresource !== 'status' || !isRecord(all)) return [];
    return isRecord(all['f:status']) ? [[manager, all['f:status']] as const] : [];
  });
}

function isNotFound(failure: KubeFailure): boolean {
  return failure.kind === 'http' && failure.status === 404;
}

/** How Kubernetes answers for a path that it does not serve, other than for an object that is not there. */
const noSuchPath = /could not find the requested resource|404 page not found/;
const lasting: ReadonlySet<number> = new Set([400, 415, 422]);

function refusal(failure: KubeFailure, target: ObjectReference, resources: string): StatusApplied {
  const message = describeFailure(failure);
  if (failure.kind !== 'http') return { kind: 'unavailable', message };
  const { status, reason, retryAfterMs } = failure;
  if (reason === 'NotServed') return { kind: 'forbidden', message: failure.message };
  if (status === 404)
    return noSuchPath.test(failure.message)
      ? { kind: 'forbidden', message: `${target.kind} in ${target.apiVersion} has no subresource status` }
      : { kind: 'gone' };
  if (status === 403)
    return { kind: 'forbidden', message: `${failure.message}; ${ruleFor(target.apiVersion, resources)}` };
  if (status === 409) return { kind: 'conflict', message };
  if (lasting.has(status)) return { kind: 'refused', message };
  return { kind: 'unavailable', message, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** The rule that a role lacks, in words. */
function ruleFor(apiVersion: string, resources: string): string {
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  return `the role of the controller needs the rule apiGroups: [${JSON.stringify(group)}], resources: ["${resources}/status"], verbs: ["patch"]`;
}
