import { LRUCache } from 'lru-cache';
import {
  EMPTY,
  type Observable,
  ReplaySubject,
  catchError,
  defaultIfEmpty,
  defer,
  finalize,
  map,
  of,
  share,
  switchMap,
  tap,
} from 'rxjs';
import type { AgentClient } from '../fleet/agent-client.ts';
import { abortable } from '../operators/abortable.ts';
import type { Plan } from '../protocol/plan.ts';
import { authorityOf, type HaproxyPod } from '../protocol/pod.ts';
import type { AgentState, Divergence } from '../protocol/wire.ts';
import type { PlanCache } from './plan-cache.ts';
import type { PodBook } from './pod-book.ts';
import type { PodKnowledge } from './pod-knowledge.ts';

export interface ReadPodDeps {
  readonly client: Pick<AgentClient, 'state'>;
  readonly plans: Pick<PlanCache, 'get' | 'set'>;
  readonly book: Pick<PodBook, 'learn'>;
  /** Resolves the plan blob that a pod stores; undefined when it is none of ours. */
  readonly decodePlan: (blob: Uint8Array) => Promise<Plan | undefined>;
  /** Told once of each time that a pod found its worker to be otherwise than its files, from the second answer of a pod on. */
  readonly onDivergence: (pod: HaproxyPod, found: Divergence) => void;
}

/** Blobs that were of no use, remembered so that they are not fetched again. */
const rememberedBlobs = 1024;
const rememberedPods = 1024;

/**
 * Asks a pod what it holds and runs. Where the plan that it holds is not known, it is taken from the pod's own copy: what makes a
 * restart of the controller cost no reload. A copy that is of no use is fetched once.
 *
 * Emits once and completes; errors when the pod does not answer.
 */
export function createPodReader(
  deps: ReadPodDeps,
): (pod: HaproxyPod, options: { readonly verify: boolean }) => Observable<PodKnowledge> {
  const useless = new LRUCache<string, true>({ max: rememberedBlobs });
  const fetching = new Map<string, Observable<AgentState>>();
  /** By authority: when the last divergence was. */
  const diverged = new LRUCache<string, string>({ max: rememberedPods });

  return (pod, { verify }) =>
    defer(() => deps.client.state(pod, { verify })).pipe(
      switchMap((state) => {
        const { applied_plan_id: id } = state;
        const isNeeded = id !== '' && state.applied_plan_stored && deps.plans.get(id) === undefined;
        if (!isNeeded || useless.has(copyOf(pod, state))) return of(state);
        return afterOthers(id).pipe(
          switchMap(() => (deps.plans.get(id) === undefined ? fetchOnce(pod, id) : of(state))),
        );
      }),
      tap((state) => noticeDivergence(pod, state)),
      map((state) => deps.book.learn(pod, state)),
    );

  function noticeDivergence(pod: HaproxyPod, { last_divergence: found }: AgentState): void {
    const authority = authorityOf(pod);
    const before = diverged.get(authority);
    const at = found?.at ?? '';
    diverged.set(authority, at);
    // What is older than the first look was told by whoever looked then.
    if (found !== undefined && before !== undefined && before !== at) deps.onDivergence(pod, found);
  }

  /** A fleet is mostly on one plan: the first pod is asked for it, and the others wait for that. Emits once. */
  function afterOthers(id: string): Observable<unknown> {
    return (fetching.get(id) ?? EMPTY).pipe(
      catchError(() => EMPTY),
      defaultIfEmpty(undefined),
    );
  }

  function fetchOnce(pod: HaproxyPod, id: string): Observable<AgentState> {
    const work$ = fetchPlan(pod).pipe(
      finalize(() => fetching.delete(id)),
      share({ connector: () => new ReplaySubject(1), resetOnRefCountZero: true }),
    );
    fetching.set(id, work$);
    return work$;
  }

  function fetchPlan(pod: HaproxyPod): Observable<AgentState> {
    return deps.client
      .state(pod, { plan: true })
      .pipe(switchMap((state) => abortable(() => learnPlan(pod, state))));
  }

  async function learnPlan(pod: HaproxyPod, state: AgentState): Promise<AgentState> {
    const plan =
      state.applied_plan === undefined
        ? undefined
        : await deps.decodePlan(Buffer.from(state.applied_plan, 'base64'));
    if (plan?.id === state.applied_plan_id) deps.plans.set(plan);
    else useless.set(copyOf(pod, state), true);
    return state;
  }
}

function copyOf(pod: HaproxyPod, state: AgentState): string {
  return `${authorityOf(pod)} ${state.applied_plan_id} ${state.applied_plan_proof}`;
}
