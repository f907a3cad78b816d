import {
  defer,
  distinctUntilChanged,
  filter,
  map,
  NEVER,
  ReplaySubject,
  share,
  takeUntil,
  tap,
  timer,
  type Observable,
} from 'rxjs';
import type { KubeObject } from '../api/kube-object.ts';
import { coalesce } from '../operators/coalesce.ts';
import { isSameFleet, type Fleet, type RejectedPod } from '../protocol/fleet.ts';
import type { HaproxyPod } from '../protocol/pod.ts';
import { compareKeys } from '../lib/ordered-map.ts';
import { admitPod } from './admit-pod.ts';
import { listWatch, type ListWatchDeps, type StopDeps } from './list-watch.ts';
import { reflect } from './reflect.ts';
import { noticeOf, type WatchNotice } from './watch-notice.ts';

export interface HaproxyPodsDeps extends ListWatchDeps, StopDeps {
  /** Told what the watch says about itself; the resource is called `haproxy-pods`. */
  readonly notice: (notice: WatchNotice) => void;
}

export interface HaproxyPodsOptions {
  /** `podSelector.matchLabels`: all must match. */
  readonly labels: Readonly<Record<string, string>>;
  /** Left out: all namespaces. */
  readonly namespace?: string;
  /** Port of the agents. */
  readonly port: number;
}

const resource = 'haproxy-pods';
const keepMs = 30_000;

/**
 * The fleet as the Kubernetes API knows it: which HAProxy pods can be delivered to, which end, and which cannot, and why. The first value comes
 * when all pods were seen (it may be empty), then one per change of what it says; a pod's other changes are no news. While the
 * API cannot be watched the last value stands.
 *
 * Shared as a watched resource is: one watch, late subscribers get the newest value. Loss policy: the newest value wins
 * within one synchronous burst. Never errors, never completes.
 */
export function haproxyPods(deps: HaproxyPodsDeps, options: HaproxyPodsOptions): Observable<Fleet> {
  const pods = {
    apiVersion: 'v1',
    resources: 'pods',
    labelSelector: selectorOf(options.labels),
    ...(options.namespace === undefined ? {} : { namespace: options.namespace }),
  };
  return defer(() => {
    const fleet = fleetStore(options.port);
    return listWatch(deps, pods).pipe(
      tap((event) => {
        const notice = noticeOf(resource, event);
        if (notice !== undefined) deps.notice(notice);
      }),
      reflect(resource, fleet),
      filter(({ kind }) => kind === 'synced' || kind === 'changed'),
      coalesce(),
      map(() => fleet.list()),
      distinctUntilChanged(isSameFleet),
    );
  }).pipe(
    takeUntil(deps.stop$ ?? NEVER),
    share({ connector: () => new ReplaySubject(1), resetOnRefCountZero: () => timer(keepMs) }),
  );
}

function selectorOf(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join(',');
}

/** Keeps of each pod only what the fleet shows. */
function fleetStore(port: number) {
  const admitted = new Map<string, HaproxyPod>();
  const leaving = new Map<string, HaproxyPod>();
  const rejected = new Map<string, RejectedPod>();
  const remove = (key: string): void => {
    admitted.delete(key);
    leaving.delete(key);
    rejected.delete(key);
  };
  const set = (key: string, object: KubeObject): void => {
    remove(key);
    const admission = admitPod(object, port);
    if (admission.kind === 'admitted') admitted.set(key, admission.pod);
    else if (admission.kind === 'leaving') leaving.set(key, admission.pod);
    else if (admission.kind === 'rejected') rejected.set(key, { key, reason: admission.reason });
  };
  return {
    set,
    delete: remove,
    replace: (entries: Iterable<readonly [string, KubeObject]>): void => {
      admitted.clear();
      leaving.clear();
      rejected.clear();
      for (const [key, object] of entries) set(key, object);
    },
    list: (): Fleet => ({
      pods: byKey(admitted.values()),
      leaving: byKey(leaving.values()),
      rejected: byKey(rejected.values()),
    }),
  };
}

function byKey<T extends { readonly key: string }>(values: Iterable<T>): readonly T[] {
  return [...values].sort((a, b) => compareKeys(a.key, b.key));
}
