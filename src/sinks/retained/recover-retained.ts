import {
  type Observable,
  catchError,
  combineLatest,
  concat,
  concatMap,
  defer,
  distinctUntilChanged,
  forkJoin,
  from,
  ignoreElements,
  map,
  mergeMap,
  of,
  repeat,
  switchMap,
  take,
  tap,
  timer,
  toArray,
} from 'rxjs';
import type { LatchVerdict } from '../../gate/latch.ts';
import type { Finding } from '../../gate/verdict.ts';
import type { ApplyAnswer } from '../../fleet/agent-client.ts';
import { errorMessage } from '../../lib/error-message.ts';
import { coalesce } from '../../operators/coalesce.ts';
import type { DeploymentIntent } from '../../protocol/deployment-intent.ts';
import type { Fleet } from '../../protocol/fleet.ts';
import type { Plan } from '../../protocol/plan.ts';
import type { HaproxyPod } from '../../protocol/pod.ts';
import type { RetainedConfig } from '../../protocol/retained-config.ts';
import type { AgentState } from '../../protocol/wire.ts';
import {
  chooseRetained,
  decideRetained,
  isBootstrap,
  podStanding,
  type FleetSight,
  type Unavailable,
  unavailable,
} from './decide-retained.ts';
import type { OwnRender } from './own-render.ts';
import type { RecoveryState } from './recovery-state.ts';

export interface RecoveryInputs {
  /** True as long as this process may write. */
  readonly leader$: Observable<boolean>;
  readonly own$: Observable<OwnRender>;
  /** The pods as Kubernetes names them: as they are at once, then every change. */
  readonly fleet$: Observable<Fleet>;
}

/** A retained render as it was written down. */
export interface RetainedRender {
  readonly plan: Plan;
  /** The plan as a blob, for pods to keep. */
  readonly blob?: Uint8Array;
}

/** What HAProxy says of a retained render. */
export interface RetainedVerdict extends Pick<LatchVerdict, 'planId' | 'kind'> {
  readonly findings?: readonly Pick<Finding, 'file' | 'line'>[];
}

/** Each emits once and completes, or errors with what went wrong. */
export interface RecoveryEffects {
  readonly intent: () => Observable<DeploymentIntent | undefined>;
  /** What may be relied on. */
  readonly retained: () => Observable<readonly RetainedConfig[]>;
  readonly read: (config: RetainedConfig) => Observable<RetainedRender>;
  /** What a pod holds, with the digests of what lies on its disk now. */
  readonly state: (pod: HaproxyPod) => Observable<AgentState>;
  readonly check: (plan: Plan) => Observable<RetainedVerdict>;
  readonly apply: (pod: HaproxyPod, state: AgentState, render: RetainedRender) => Observable<ApplyAnswer>;
}

/** Milliseconds. */
export interface RecoveryTiming {
  /** For which there must be no render of its own, and a reason for that, before anything is done. */
  readonly patience: number;
  /** From one attempt to the next. */
  readonly retry: number;
}

const questionsAtOnce = 16;

/**
 * Gives a retained render to pods that never got anything, while the leader has no render of its own. Every attempt asks the whole fleet anew, and the pod
 * once more right before its apply; nothing else is written to, and all ends as soon as a render is accepted or the term is over.
 *
 * Loss policy: none; a state whenever it changes. Never errors.
 */
export function recoverRetained(
  inputs: RecoveryInputs,
  effects: RecoveryEffects,
  timing: RecoveryTiming,
): Observable<RecoveryState> {
  /** The newest: it is told as it is at the next attempt. */
  let error = '';
  return combineLatest([inputs.leader$, inputs.own$]).pipe(
    coalesce(),
    tap(([, own]) => (error = own.error ?? error)),
    map(([isLeader, own]) => isLeader && own.error !== undefined),
    distinctUntilChanged(),
    // A source, not work: what is under way ends with the need for it.
    switchMap((isNeeded) => (isNeeded ? recover() : of<RecoveryState>({ kind: 'off' }))),
    distinctUntilChanged((a, b) => JSON.stringify(a) === JSON.stringify(b)),
  );

  function recover(): Observable<RecoveryState> {
    return defer(() => {
      let read: { readonly config: RetainedConfig; readonly render: RetainedRender } | undefined;
      const given = new Set<string>();

      const attempt = (): Observable<RecoveryState> =>
        forkJoin([effects.intent(), effects.retained()]).pipe(
          switchMap(([intent, retained]) => {
            const choice = chooseRetained(intent, retained);
            return choice.kind === 'chosen' ? serve(choice.config) : of(choice);
          }),
          catchError((failure: unknown) => of(unavailable('ClusterUnreadable', errorMessage(failure)))),
          map((state): RecoveryState => (state.kind === 'unavailable' ? { ...state, error } : state)),
        );

      const rendered = (config: RetainedConfig): Observable<RetainedRender> =>
        read?.config.uid === config.uid
          ? of(read.render)
          : effects.read(config).pipe(tap((render) => (read = { config, render })));

      const serve = (config: RetainedConfig): Observable<RecoveryState | Unavailable> =>
        rendered(config).pipe(
          map((render) => ({ render })),
          catchError((failure: unknown) =>
            of(unavailable('CheckpointUnreadable', `HAProxyCfg ${config.name}: ${errorMessage(failure)}`)),
          ),
          switchMap((found) => ('render' in found ? decide(config, found.render) : of(found))),
        );

      const decide = (
        config: RetainedConfig,
        render: RetainedRender,
      ): Observable<RecoveryState | Unavailable> =>
        fleetSight(render.plan).pipe(
          switchMap((sight) => {
            const decision = decideRetained(sight);
            const present = new Set(sight.pods.map(({ pod }) => pod.key));
            for (const key of given) if (!present.has(key)) given.delete(key);
            if (decision.kind === 'unavailable') return of(decision);
            const { pods, configured } = decision;
            const active = (count: number): RecoveryState =>
              count === 0
                ? { kind: 'pending', error }
                : {
                    kind: 'active',
                    error,
                    planId: config.planID,
                    name: config.name,
                    given: [...given].sort(),
                    pods: count,
                  };
            if (pods.length === 0) return of(active(configured));
            return effects.check(render.plan).pipe(
              switchMap((verdict) => {
                const refusal = refusalOf(verdict);
                return refusal === undefined ? give(pods, render) : of(refusal);
              }),
              map((failure) => failure ?? active(configured + pods.length)),
            );
          }),
        );

      /** One after the other. Emits what went wrong first; undefined: nothing did. */
      const give = (
        pods: readonly HaproxyPod[],
        render: RetainedRender,
      ): Observable<Unavailable | undefined> =>
        from(pods).pipe(
          concatMap((pod) => giveTo(pod, render)),
          toArray(),
          map((results) => results.find((result) => result !== undefined)),
        );

      const giveTo = (pod: HaproxyPod, render: RetainedRender): Observable<Unavailable | undefined> =>
        effects.state(pod).pipe(
          switchMap((state) => {
            if (!isBootstrap(state)) return of(failedAt(pod, 'it is not new any more'));
            return effects.apply(pod, state, render).pipe(
              map((answer) => {
                const failure = wordsOf(answer);
                if (failure === undefined) given.add(pod.key);
                return failure === undefined ? undefined : failedAt(pod, failure);
              }),
            );
          }),
          catchError((failure: unknown) => of(failedAt(pod, errorMessage(failure)))),
        );

      const fleetSight = (plan: Plan): Observable<FleetSight> =>
        inputs.fleet$.pipe(
          take(1),
          switchMap(({ pods, rejected }) =>
            from(pods).pipe(
              mergeMap(
                (pod, index) =>
                  effects.state(pod).pipe(
                    map((state) => ({ index, pod, standing: podStanding(plan, state) })),
                    catchError(() => of({ index, pod })),
                  ),
                questionsAtOnce,
              ),
              toArray(),
              map((sights) => ({ pods: sights.sort((a, b) => a.index - b.index), rejected })),
            ),
          ),
        );

      return concat(
        of<RecoveryState>({ kind: 'pending', error }),
        timer(timing.patience).pipe(ignoreElements()),
        defer(attempt).pipe(repeat({ delay: timing.retry })),
      );
    });
  }
}

/** HAProxy's words may repeat what of Secrets was printed into the render, and nobody knows any more what that was: only the place is told. */
function refusalOf({ kind, findings = [] }: RetainedVerdict): Unavailable | undefined {
  if (kind === 'accepted') return undefined;
  if (kind === 'unchecked') return unavailable('CheckFailed', 'HAProxy could not be asked about it');
  const [{ file, line } = {}] = findings;
  const place = file === undefined || line === undefined ? '' : ` (${file}, line ${line})`;
  return unavailable('RefusedByHAProxy', `HAProxy refuses it${place}`);
}

function failedAt({ key }: HaproxyPod, words: string): Unavailable {
  return unavailable('ApplyFailed', `pod ${key} did not take it: ${words}`);
}

/** As of a refusal, without HAProxy's words: the agent has them. */
function wordsOf(answer: ApplyAnswer): string | undefined {
  switch (answer.kind) {
    case 'result':
      return answer.result.ok
        ? undefined
        : `it was rejected (${answer.result.error?.stage ?? answer.result.mode})`;
    case 'conflict':
      return answer.conflict.reason;
    case 'missing':
      return `it misses ${answer.paths.join(', ')}`;
    case 'refused':
      return `${answer.error.stage}: ${answer.error.message}`;
  }
}
