import {
  type Observable,
  catchError,
  combineLatest,
  concatMap,
  defaultIfEmpty,
  defer,
  filter,
  first,
  from,
  map,
  merge,
  of,
  startWith,
  switchMap,
  take,
  takeUntil,
  timeout,
  timer,
  withLatestFrom,
} from 'rxjs';
import type { AgentClient } from '../fleet/agent-client.ts';
import { abortable } from '../operators/abortable.ts';
import { coalesce } from '../operators/coalesce.ts';
import type { Fleet } from '../protocol/fleet.ts';
import type { KeptOutputs } from '../protocol/kept-outputs.ts';
import type { HaproxyPod } from '../protocol/pod.ts';
import type { ApplyToken } from '../protocol/wire.ts';

export interface RecallDeps {
  /** Pods as they were found; late subscribers get the newest fleet. */
  readonly found$: Observable<Fleet>;
  /** Those of them that answer; the same. */
  readonly members$: Observable<Fleet>;
  readonly client: Pick<AgentClient, 'state'>;
  /** What a pod applied last, where it is known. */
  readonly tokenOf: (pod: HaproxyPod) => ApplyToken | undefined;
  /** Resolves to what a pod's plan blob has; undefined when it has none or is of no use. */
  readonly decodeOutputs: (blob: Uint8Array, signal: AbortSignal) => Promise<KeptOutputs | undefined>;
  /** Milliseconds for all, and for the answer of one pod. */
  readonly timing: { readonly total: number; readonly pod: number };
}

/**
 * Asks the pods for the outputs that HAProxy had accepted last before this process: one pod after another, the one that was written
 * to last first, until one has them. Waits for pods that are there to answer or fail for the first time.
 *
 * Emits once and completes: undefined when no pod has any, or none did answer in time. Never errors.
 */
export function recallOutputs(deps: RecallDeps): () => Observable<KeptOutputs | undefined> {
  const { found$, members$, client, tokenOf, timing } = deps;

  return () =>
    defer(() => {
      const isLate$ = timer(timing.total);
      return answering().pipe(
        switchMap((pods) => from([...pods].sort((a, b) => compareTokens(tokenOf(b), tokenOf(a))))),
        concatMap(outputsOf),
        first((kept) => kept !== undefined, undefined),
        takeUntil(isLate$),
        defaultIfEmpty(undefined),
      );
    });

  /** The pods that answer, as soon as it is known of each whether it does, or for as long as one may wait for that. */
  function answering(): Observable<readonly HaproxyPod[]> {
    const known$ = combineLatest([found$, members$]).pipe(
      coalesce(),
      filter(([found, members]) => isSettled(found, members)),
      map(([, { pods }]) => pods),
    );
    const inTime$ = timer(timing.total / 2).pipe(
      withLatestFrom(members$.pipe(startWith({ pods: [] }))),
      map(([, { pods }]) => pods),
    );
    return merge(known$, inTime$).pipe(take(1));
  }

  function outputsOf(pod: HaproxyPod): Observable<KeptOutputs | undefined> {
    return client.state(pod, { plan: true }).pipe(
      switchMap(({ applied_plan: applied, former_plan: former }) => {
        const blob = applied ?? former;
        if (blob === undefined) return of(undefined);
        return abortable((signal) => deps.decodeOutputs(Buffer.from(blob, 'base64'), signal));
      }),
      timeout(timing.pod),
      catchError(() => of(undefined)),
    );
  }
}

/** Each pod that was found has answered or failed to; a fleet of which none answers may have one that does in a moment. */
function isSettled(found: Fleet, members: Fleet): boolean {
  const known = new Set([...members.pods, ...members.rejected].map(({ key }) => key));
  if (found.pods.length > 0 && members.pods.length === 0) return false;
  return found.pods.every(({ key }) => known.has(key));
}

function compareTokens(a: ApplyToken | undefined, b: ApplyToken | undefined): number {
  return (a?.leader_epoch ?? 0) - (b?.leader_epoch ?? 0) || (a?.render_seq ?? 0) - (b?.render_seq ?? 0);
}
