import {
  EMPTY,
  type Observable,
  combineLatest,
  concatMap,
  distinctUntilChanged,
  filter,
  map,
  merge,
  of,
  startWith,
  switchMap,
  tap,
} from 'rxjs';
import { apiGroup } from '../../api/api-group.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { equalData } from '../../collections/equal-data.ts';
import { emptyQuarantine } from '../../gate/quarantine-state.ts';
import { describeFailure, type KubeResult } from '../../kube/kube-failure.ts';
import { kubeClient } from '../../kube/kube-client.ts';
import { statusObjects } from '../../kube/status-objects.ts';
import { formatOwner } from '../../lib/owner.ts';
import { abortable } from '../../operators/abortable.ts';
import { coalesce } from '../../operators/coalesce.ts';
import { debounceMax } from '../../operators/debounce-max.ts';
import { referenceKey } from '../../protocol/declared.ts';
import {
  type Asked,
  keepStatuses,
  type KeepStatusesEffects,
  type KeptStatus,
} from '../../sinks/keep-statuses.ts';
import { objectsSummary } from '../../sinks/objects-summary.ts';
import { recordStatuses } from '../../sinks/record-statuses.ts';
import { createStatusMetrics } from '../../sinks/status-metrics.ts';
import type { StatusWish } from '../../sinks/status-book.ts';
import { deployedStatuses } from '../../sinks/status-deployed.ts';
import type { ControllerPart, ControllerRuntime } from '../../world/controller-runtime.ts';
import { watchedObjects } from '../../world/watched-objects.ts';
import { statusPlaces } from './status-places.ts';

const timing = { retry: { min: 1_000, max: 300_000 }, forbidden: 300_000 };
/** Milliseconds between two writes of how many objects are served. */
const summaryPause = 10_000;

/** Writes what templates say of statuses, and into that of the configuration how many objects are served. Only the leader does. */
export const statusPart: ControllerPart = (runtime) => {
  const { pipeline, fleet$, leadership$, world$, registry, taps, log, onFatal } = runtime;
  const leader$ = leadership$.pipe(
    map(({ kind }) => kind === 'leading'),
    distinctUntilChanged(),
  );
  const bundle$ = pipeline.render$.pipe(
    filter((outcome) => outcome.kind === 'rendered'),
    map(({ bundle }) => bundle),
  );
  const config = configStatus(runtime, leader$);
  const report$ = keepStatuses(
    {
      bundle$,
      leader$,
      refused$: pipeline.quarantine$.pipe(
        map(({ entries }) => entries),
        distinctUntilChanged(),
        map((entries) => {
          const refused = [...entries.values()].filter(({ state }) => state === 'refused');
          return new Set(refused.map(({ owner }) => formatOwner(owner)));
        }),
      ),
      deployed$: deployedStatuses({ bundle$, fleet$, delivery$: pipeline.delivery$ }),
      own$: config.wish$,
      // A source, not work: the stores of the configuration at work.
      touched$: world$.pipe(
        switchMap(({ stores }) => merge(...[...stores.values()].map(({ deltas$ }) => deltas$))),
        map((deltas) => deltas.flatMap(({ before, after }) => keyOf(after ?? before))),
      ),
    },
    effectsOf(runtime, config),
    timing,
  ).pipe(taps.point<KeptStatus>('statuses', (report) => report));
  return recordStatuses(report$, createStatusMetrics(registry), log, onFatal);
};

function keyOf(object: KubeObject | undefined): readonly string[] {
  if (object === undefined) return [];
  const { apiVersion = '', kind = '', metadata } = object;
  return [referenceKey({ apiVersion, kind, namespace: metadata.namespace ?? '', name: metadata.name })];
}

interface ConfigStatus {
  readonly wish$: Observable<StatusWish>;
  readonly key: string;
  /** As it was seen or written last. */
  seen: KubeObject | undefined;
}

/** What the status of the configuration says of objects; nothing where the configuration is no object. */
function configStatus(
  { identity: { namespace, name, isObject }, pipeline, transport }: ControllerRuntime,
  leader$: Observable<boolean>,
): ConfigStatus {
  const { apiVersion } = apiGroup;
  const target = { apiVersion, kind: 'HAProxyTemplateConfig', namespace, name };
  const key = referenceKey(target);
  const ref = { apiVersion, resources: 'haproxytemplateconfigs', namespace };
  const content$ = combineLatest([
    pipeline.render$.pipe(
      filter((outcome) => outcome.kind === 'rendered'),
      map(({ bundle }) => bundle.problems),
      distinctUntilChanged(),
    ),
    pipeline.quarantine$.pipe(startWith(emptyQuarantine)),
  ]).pipe(
    coalesce(),
    debounceMax(summaryPause),
    map(([problems, quarantine]) => objectsSummary(problems, quarantine)),
    distinctUntilChanged((a, b) => equalData(a, b)),
    map((content): StatusWish => ({ key, target, parts: [['haptic-objects', content]], kept: [] })),
  );
  const status: ConfigStatus = {
    key,
    seen: undefined,
    wish$: !isObject
      ? EMPTY
      : leader$.pipe(
          // A source, not work: one term's look at what stands there ends with the term.
          switchMap((isLeader) =>
            isLeader ? abortable((signal) => kubeClient(transport).get(ref, name, { signal })) : EMPTY,
          ),
          tap((found) => {
            status.seen = found.ok ? found.value : undefined;
          }),
          switchMap(() => content$),
        ),
  };
  return status;
}

function effectsOf(
  { identity, leaderTransport, current }: ControllerRuntime,
  config: ConfigStatus,
): KeepStatusesEffects {
  const objects = statusObjects(leaderTransport, identity, statusPlaces(current, identity));
  const watched = watchedObjects(current);
  return {
    apply: (write) =>
      abortable((signal) => objects.apply(write, signal)).pipe(
        tap((answer) => {
          if (answer.kind === 'done' && referenceKey(write.target) === config.key)
            config.seen = answer.object;
        }),
      ),
    live: (target) => {
      if (referenceKey(target) === config.key) return config.seen;
      const found = watched.find(target);
      if (found === undefined || found === 'absent') return found;
      return found.hasStatus ? found.object : undefined;
    },
    kinds: () => abortable((signal) => objects.kinds(signal)).pipe(concatMap(asked)),
    writeKinds: (kinds) => abortable((signal) => objects.writeKinds(kinds, signal)).pipe(concatMap(asked)),
    inventory: (kind) => abortable((signal) => objects.inventory(kind, signal)).pipe(concatMap(asked)),
  };
}

function asked<T>(result: KubeResult<T>): Observable<Asked<T>> {
  return of(
    result.ok
      ? { kind: 'known', value: result.value }
      : { kind: 'unknown', message: describeFailure(result.failure) },
  );
}
