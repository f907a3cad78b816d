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
import type { HaproxyPod } from '../protocol/pod.ts';
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
 * The fleet: all HAProxy pods that can be delivered to, sorted by key. The first list comes when all pods were seen
 * (it may be empty), then one per change of what a `HaproxyPod` says; a pod's other changes are no news. While the API
 * cannot be watched the last list stands.
 *
 * Shared as a watched resource is: one watch, late subscribers get the newest list. Loss policy: the newest list wins
 * within one synchronous burst. Never errors, never completes.
 */
export function haproxyPods(
  deps: HaproxyPodsDeps,
  options: HaproxyPodsOptions,
): Observable<readonly HaproxyPod[]> {
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
  const set = (key: string, object: KubeObject): void => {
    const pod = admitPod(object, port);
    if (pod === undefined) admitted.delete(key);
    else admitted.set(key, pod);
  };
  return {
    set,
    delete: (key: string): void => void admitted.delete(key),
    replace: (entries: Iterable<readonly [string, KubeObject]>): void => {
      admitted.clear();
      for (const [key, object] of entries) set(key, object);
    },
    list: (): readonly HaproxyPod[] => [...admitted.values()].sort((a, b) => (a.key < b.key ? -1 : 1)),
  };
}

function isSameFleet(a: readonly HaproxyPod[], b: readonly HaproxyPod[]): boolean {
  return a.length === b.length && a.every((pod, index) => isSamePod(pod, b[index]));
}

function isSamePod(a: HaproxyPod, b: HaproxyPod | undefined): boolean {
  return (
    a.key === b?.key &&
    a.uid === b.uid &&
    a.address === b.address &&
    a.port === b.port &&
    a.containerId === b.containerId
  );
}
