import { hostname } from 'node:os';
import { distinctUntilChanged, filter, map, tap } from 'rxjs';
import { apiGroup } from '../../api/api-group.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { quarantinedObjects, type QuarantinedObject } from '../../gate/quarantine-state.ts';
import { eventAnswer, type EventObject, eventObjects, type EventWritten } from '../../kube/event-objects.ts';
import { kubeClient } from '../../kube/kube-client.ts';
import type { KubeResult } from '../../kube/kube-failure.ts';
import type { Problem } from '../../lib/problem.ts';
import { abortable } from '../../operators/abortable.ts';
import { createEventMetrics } from '../../sinks/event-metrics.ts';
import { eventFacts } from '../../sinks/event-facts.ts';
import type {
  EventEffects,
  EventLimits,
  EventReport,
  EventToTell,
  Regarding,
} from '../../sinks/event-teller.ts';
import { keepEvents } from '../../sinks/keep-events.ts';
import { recordEvents } from '../../sinks/record-events.ts';
import type { ControllerPart, ControllerRuntime } from '../../world/controller-runtime.ts';
import { watchedObjects } from '../../world/watched-objects.ts';

const limits: EventLimits = {
  // As client-go's: 25 at once of one object, and one more each 5 minutes.
  object: { burst: 25, interval: 300_000 },
  all: { burst: 100, interval: 200, size: 1_000 },
  // The API keeps Events for an hour by default.
  refresh: 1_800_000,
  retry: { min: 1_000, max: 300_000 },
};
const configKind = 'HAProxyTemplateConfig';
const shownProblems = 1_000;

/**
 * Tells in Events what is wrong with objects, and what becomes of it; only the leader does. All replicas list it in
 * `/debug/vars/problems`.
 */
export const eventsPart: ControllerPart = (runtime) => {
  const { identity, pipeline, leadership$, registry, taps, vars, log, onFatal } = runtime;
  const bundle$ = pipeline.render$.pipe(
    filter((outcome) => outcome.kind === 'rendered'),
    map(({ bundle }) => bundle),
  );
  let problems: readonly Problem[] = [];
  let quarantined: readonly QuarantinedObject[] = [];
  vars['problems'] = () => ({
    count: problems.length,
    problems: problems.slice(0, shownProblems),
    quarantined,
  });
  const { namespace, name } = identity;
  const change$ = eventFacts({
    bundle$: bundle$.pipe(tap((bundle) => (problems = bundle.problems))),
    quarantine$: pipeline.quarantine$.pipe(tap((state) => (quarantined = quarantinedObjects(state)))),
    verdict$: pipeline.verdict$,
    delivery$: pipeline.delivery$,
    recovery$: runtime.retained.recovery,
    config: { kind: configKind, namespace, name },
  });
  const leader$ = leadership$.pipe(
    map(({ kind }) => kind === 'leading'),
    distinctUntilChanged(),
  );
  const report$ = keepEvents(change$, leader$, effectsOf(runtime), limits).pipe(
    taps.point<EventReport>('events', (report) => report),
  );
  return recordEvents(report$, createEventMetrics(registry), log, onFatal);
};

function effectsOf({ identity, leaderTransport, current }: ControllerRuntime): EventEffects {
  const objects = eventObjects(leaderTransport, hostname());
  const client = kubeClient(leaderTransport);
  const watched = watchedObjects(current);
  const { apiVersion } = apiGroup;
  const { namespace, name, isObject } = identity;
  /** Of the configuration; empty: not asked for yet. */
  let configUid = '';

  /** Who reads the Events of an object finds them by its uid. */
  const withUid = async (
    { fact, regarding, ...event }: EventToTell,
    signal: AbortSignal,
  ): Promise<KubeResult<EventObject>> => {
    const { type, reason, action, note } = fact;
    if (regarding.uid === '' && configUid === '') {
      const ref = { apiVersion, resources: 'haproxytemplateconfigs', namespace };
      const found = await client.get(ref, name, { signal });
      if (!found.ok) return found;
      configUid = found.value.metadata.uid ?? '';
    }
    const uid = regarding.uid === '' ? configUid : regarding.uid;
    return { ok: true, value: { ...event, regarding: { ...regarding, uid }, type, reason, action, note } };
  };
  const write = (
    event: EventToTell,
    send: (object: EventObject, signal: AbortSignal) => Promise<EventWritten>,
  ) =>
    abortable(async (signal) => {
      const object = await withUid(event, signal);
      return object.ok ? send(object.value, signal) : eventAnswer(object.failure);
    });

  return {
    find: (about) => {
      // Another one of this name would be another configuration.
      if (about.kind === configKind)
        return isObject ? { apiVersion, kind: configKind, namespace, name, uid: '' } : undefined;
      const found = watched.find(about);
      return found === undefined || found === 'absent' ? undefined : regardingOf(found.object);
    },
    known: () => abortable((signal) => objects.list(signal)),
    create: (event) => write(event, (object, signal) => objects.create(object, signal)),
    repeat: (event, count) => write(event, (object, signal) => objects.repeat(object, count, signal)),
  };
}

function regardingOf({ apiVersion = '', kind = '', metadata }: KubeObject): Regarding {
  const { namespace = '', name, uid = '', resourceVersion } = metadata;
  return {
    apiVersion,
    kind,
    namespace,
    name,
    uid,
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
}
