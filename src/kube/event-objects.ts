import type { KubeObject } from '../api/kube-object.ts';
import { isRecord } from '../lib/is-record.ts';
import { kubeClient } from './kube-client.ts';
import { describeFailure, type KubeFailure } from './kube-failure.ts';
import type { KubeTransport } from './kube-transport.ts';

/** Who reports, in every Event of ours. */
const reportingController = 'haproxy-haptic.org/controller';

export interface EventObject {
  readonly name: string;
  readonly regarding: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion?: string;
  };
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly action: string;
  /** At most 1,024 bytes. */
  readonly note: string;
  /** ISO 8601. */
  readonly at: string;
}

/** An Event of ours that is there. */
export interface SeenEvent {
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly lastSeen: number;
}

/** `exists`: with `known`. `gone`: there is no such Event (any more), or its namespace is going. */
export type EventWritten =
  | { readonly kind: 'done' | 'gone' }
  | { readonly kind: 'exists'; readonly known: SeenEvent }
  | { readonly kind: 'refused' | 'forbidden' | 'unavailable'; readonly message: string };

/** Events of events.k8s.io/v1. Nothing here rejects, and nothing is tried twice. */
export interface EventObjects {
  /** Ours by name. What cannot be read is not there. */
  readonly list: (signal: AbortSignal) => Promise<ReadonlyMap<string, SeenEvent>>;
  readonly create: (event: EventObject, signal: AbortSignal) => Promise<EventWritten>;
  readonly repeat: (event: EventObject, count: number, signal: AbortSignal) => Promise<EventWritten>;
}

const apiVersion = 'events.k8s.io/v1';
const resources = 'events';

/** @param instance name of this process, such as its pod */
export function eventObjects(transport: KubeTransport, instance: string): EventObjects {
  const client = kubeClient(transport);
  const refOf = ({ regarding }: EventObject) => ({
    apiVersion,
    resources,
    namespace: namespaceOf(regarding),
  });

  return {
    list: async (signal) => {
      const seen = new Map<string, SeenEvent>();
      const fieldSelector = `reportingController=${reportingController}`;
      for await (const page of client.list({ apiVersion, resources }, { fieldSelector, signal })) {
        if (!page.ok) break;
        for (const event of page.value.items) seen.set(event.metadata.name, seenOf(event));
      }
      return seen;
    },
    create: async (event, signal) => {
      const { name, regarding, type, reason, action, note, at } = event;
      const object: KubeObject = {
        apiVersion,
        kind: 'Event',
        metadata: { name, namespace: namespaceOf(regarding) },
        eventTime: microTime(at),
        reportingController,
        reportingInstance: instance.slice(0, 128),
        type,
        reason,
        action,
        note,
        regarding: referenceTo(regarding),
      };
      const created = await client.create(refOf(event), object, { signal });
      if (created.ok) return { kind: 'done' };
      if (!isHttp(created.failure, 409)) return eventAnswer(created.failure);
      const found = await client.get(refOf(event), name, { signal });
      return found.ok ? { kind: 'exists', known: seenOf(found.value) } : eventAnswer(found.failure);
    },
    repeat: async (event, count, signal) => {
      // A series has two at least, says the API.
      const series = { count: Math.max(2, count), lastObservedTime: microTime(event.at) };
      const patched = await client.patch(refOf(event), event.name, 'merge', { series }, { signal });
      return patched.ok ? { kind: 'done' } : eventAnswer(patched.failure);
    },
  };
}

/** Events about objects without namespace are in the default one. */
function namespaceOf({ namespace }: EventObject['regarding']): string {
  return namespace === '' ? 'default' : namespace;
}

function referenceTo({ namespace, ...rest }: EventObject['regarding']) {
  return { ...rest, ...(namespace !== '' && { namespace }) };
}

/** `2026-01-02T03:04:05.678Z` → `2026-01-02T03:04:05.678000Z` */
function microTime(at: string): string {
  return at.replace(/(\.\d{3})?Z$/, (_end, fraction: string | undefined) => `${fraction ?? '.000'}000Z`);
}

function seenOf(event: KubeObject): SeenEvent {
  const { series } = event;
  const { count, lastObservedTime } = isRecord(series) ? series : {};
  const last = lastObservedTime ?? event['eventTime'] ?? event.metadata.creationTimestamp;
  const time = typeof last === 'string' ? Date.parse(last) : Number.NaN;
  return { count: typeof count === 'number' ? count : 1, lastSeen: Number.isNaN(time) ? 0 : time };
}

function isHttp(failure: KubeFailure, status: number): boolean {
  return failure.kind === 'http' && failure.status === status;
}

/** What a failed request about an Event means. */
export function eventAnswer(failure: KubeFailure): EventWritten {
  const message = describeFailure(failure);
  if (failure.kind !== 'http') return { kind: 'unavailable', message };
  const { status } = failure;
  if (status === 404 || (status === 403 && failure.message.includes('being terminated')))
    return { kind: 'gone' };
  if (status === 403)
    return {
      kind: 'forbidden',
      message: `${message}; the role of the controller needs the rule apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "patch", "get", "list"]`,
    };
  if (status === 400 || status === 409 || status === 422) return { kind: 'refused', message };
  return { kind: 'unavailable', message };
}
