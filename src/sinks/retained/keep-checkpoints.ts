import {
  EMPTY,
  type Observable,
  asyncScheduler,
  catchError,
  concat,
  defer,
  distinctUntilChanged,
  filter,
  ignoreElements,
  map,
  merge,
  of,
  switchMap,
  tap,
  timer,
} from 'rxjs';
import type { LatchState } from '../../gate/latch.ts';
import type { RetainedStock } from '../../kube/retained-objects.ts';
import { partName } from '../../kube/retained-object.ts';
import { errorMessage } from '../../lib/error-message.ts';
import { exhaustMapLatest } from '../../operators/exhaust-map-latest.ts';
import type { DeliveryAcked, DeliveryReport } from '../../protocol/delivery-report.ts';
import type { Fleet } from '../../protocol/fleet.ts';
import type { Plan } from '../../protocol/plan.ts';
import type { RetainedConfig } from '../../protocol/retained-config.ts';
import { keptCheckpoints } from './kept-checkpoints.ts';

export interface CheckpointInputs {
  /** True as long as this process may write. */
  readonly leader$: Observable<boolean>;
  /** Whether renders are to be kept at all; false: what is there goes. */
  readonly enabled$: Observable<boolean>;
  readonly latch$: Observable<Pick<LatchState, 'released' | 'accepted'>>;
  readonly delivery$: Observable<DeliveryReport>;
  readonly fleet$: Observable<Fleet>;
}

/** Each emits once and completes, or errors with what went wrong. */
export interface CheckpointEffects {
  /** With what the former leader left, if `isFirst`. */
  readonly stock: (isFirst: boolean) => Observable<RetainedStock>;
  /** Encodes the render, writes it and reads it back. Undefined: it is too large to be kept. */
  readonly write: (
    plan: Plan,
    receipts: readonly DeliveryAcked[],
  ) => Observable<{ readonly config: RetainedConfig; readonly parts: number } | undefined>;
  readonly remove: (surplus: {
    readonly configs: readonly RetainedConfig[];
    readonly parts: readonly string[];
  }) => Observable<void>;
}

/** Milliseconds. */
export interface CheckpointTiming {
  /** From an accepted delivery to its checkpoint, in which newer ones take its place. */
  readonly settle: number;
  /** From one checkpoint to the next at least, for each Secret that it takes. */
  readonly interval: () => number;
  /** After which it is looked whether all is still there. */
  readonly resync: number;
  /** After a failure: doubles from `min` to `max`. */
  readonly retry: { readonly min: number; readonly max: number };
}

/** What became of one step. */
export type CheckpointReport =
  /** What may be relied on: written, read back and whole. Newest first. */
  | { readonly kind: 'kept'; readonly configs: readonly RetainedConfig[] }
  | { readonly kind: 'written'; readonly config: RetainedConfig; readonly tookMs: number }
  | { readonly kind: 'removed'; readonly names: readonly string[] }
  | { readonly kind: 'too_large'; readonly planId: string }
  | { readonly kind: 'failed'; readonly message: string };

/**
 * Keeps renders that HAProxy accepted and pods run, for a time when none can be made. Only what is out, accepted and acknowledged is written, the newest of it,
 * some seconds after its delivery and at most one per interval and Secret; nothing is written while nothing changes, nor by a new leader where it is there already.
 *
 * Loss policy: the newest wins. Never errors, never completes before its sources.
 */
export function keepCheckpoints(
  inputs: CheckpointInputs,
  effects: CheckpointEffects,
  timing: CheckpointTiming,
): Observable<CheckpointReport> {
  return inputs.leader$.pipe(
    distinctUntilChanged(),
    // A source, not work: who leads no more ends all requests.
    switchMap((isLeader) => (isLeader ? lead() : EMPTY)),
  );

  function lead(): Observable<CheckpointReport> {
    return defer(() => {
      /** What each pod acknowledged last, by its key. */
      const acked = new Map<string, DeliveryAcked>();
      /** Keys of all pods. */
      let present: ReadonlySet<string> = new Set();
      let isEnabled: boolean | undefined;
      let latch: Pick<LatchState, 'released' | 'accepted'> = {};
      let failures = 0;
      /** Of the last round. */
      let lookedFor: string | undefined;
      let tooLarge: string | undefined;
      /** Secrets that the last checkpoint took: what is large is written less often. */
      let parts = 1;
      /** Kept as of the last round. */
      let promoted: readonly RetainedConfig[] | undefined;
      let formerPods: readonly string[] = [];

      /** What is to be kept now; undefined: nothing is out that HAProxy accepted and a pod runs. */
      const candidate = (): Plan | undefined => {
        const { released, accepted } = latch;
        if (released === undefined || released.plan.id !== accepted?.plan.id) return undefined;
        const { plan } = released;
        return [...acked.values()].some((report) => runs(report, plan)) ? plan : undefined;
      };
      const wish = (): string => (isEnabled === true ? (candidate()?.id ?? '') : 'off');
      const wish$ = merge(
        inputs.enabled$.pipe(tap((enabled) => (isEnabled = enabled))),
        inputs.latch$.pipe(tap((state) => (latch = state))),
        inputs.delivery$.pipe(
          filter((report) => report.kind === 'acked'),
          tap((report) => acked.set(report.pod.key, report)),
        ),
        inputs.fleet$.pipe(
          tap(({ pods, rejected }) => {
            present = new Set([...pods, ...rejected].map(({ key }) => key));
            for (const key of acked.keys()) if (!present.has(key)) acked.delete(key);
          }),
        ),
      ).pipe(
        filter(() => isEnabled !== undefined),
        map(wish),
        distinctUntilChanged(),
      );
      const resync$ = timer(timing.resync, timing.resync).pipe(map(() => undefined));

      const again = (): Observable<CheckpointReport> =>
        defer(() => timer(Math.min(timing.retry.max, timing.retry.min * 2 ** failures++))).pipe(
          switchMap(() => round()),
        );

      const round = (): Observable<CheckpointReport> =>
        defer(() => effects.stock(promoted === undefined)).pipe(
          tap((stock) => {
            promoted ??= stock.promoted ?? [];
            formerPods = stock.podPlans ?? formerPods;
          }),
          switchMap((stock) => (isEnabled === true ? keep(stock) : clear(stock))),
          catchError((error: unknown) => {
            return concat(of({ kind: 'failed' as const, message: errorMessage(error) }), again());
          }),
        );

      const keep = (stock: RetainedStock): Observable<CheckpointReport> => {
        const plan = candidate();
        const known = (promoted ?? []).filter((config) => isWhole(config, stock));
        const isThere = known[0]?.planID === plan?.id;
        if (plan === undefined || isThere || plan.id === tooLarge) return settle(known, stock);
        // Without the object whose status names it, nobody would ever find it.
        if (!stock.isPublished) return again();
        const former = known.find(({ planID }) => planID === plan.id);
        if (former !== undefined) return settle([former, ...known], stock);
        const started = asyncScheduler.now();
        const receipts = [...acked.values()].filter((report) => runs(report, plan));
        return effects.write(plan, receipts).pipe(
          switchMap((written): Observable<CheckpointReport> => {
            if (written === undefined) {
              tooLarge = plan.id;
              return concat(of({ kind: 'too_large' as const, planId: plan.id }), settle(known, stock));
            }
            const { config } = written;
            ({ parts } = written);
            const tookMs = asyncScheduler.now() - started;
            return concat(
              of({ kind: 'written' as const, config, tookMs }),
              settle([config, ...known], stock),
            );
          }),
        );
      };

      const settle = (
        known: readonly RetainedConfig[],
        stock: RetainedStock,
      ): Observable<CheckpointReport> => {
        const podPlans = new Set([...acked.values()].map(({ planId }) => planId));
        // Of a pod that has not been heard of in this term, what the former leader told.
        if ([...present].some((key) => !acked.has(key))) for (const id of formerPods) podPlans.add(id);
        const configs = keptCheckpoints(known, podPlans);
        promoted = configs;
        failures = 0;
        return concat(of({ kind: 'kept' as const, configs }), sweep(configs, stock));
      };

      const clear = (stock: RetainedStock): Observable<CheckpointReport> => {
        promoted = [];
        return concat(of({ kind: 'kept' as const, configs: promoted }), sweep(promoted, stock));
      };

      const sweep = (kept: readonly RetainedConfig[], stock: RetainedStock): Observable<CheckpointReport> => {
        const uids = new Set(kept.map(({ uid }) => uid));
        const configs = stock.found.filter(({ uid }) => !uids.has(uid));
        const strays = stock.parts.filter((part) => !kept.some(({ name }) => part.startsWith(`${name}-`)));
        if (configs.length + strays.length === 0) return EMPTY;
        const names = [...configs.map(({ name }) => name), ...strays];
        return effects
          .remove({ configs, parts: strays })
          .pipe(map(() => ({ kind: 'removed' as const, names })));
      };

      return merge(wish$, resync$).pipe(
        filter(() => isEnabled !== undefined),
        exhaustMapLatest((wished) =>
          // What came while a round was about to begin was taken along.
          wished !== undefined && wished === lookedFor
            ? EMPTY
            : concat(
                timer(timing.settle).pipe(ignoreElements()),
                defer(() => {
                  lookedFor = wish();
                  return round();
                }),
                defer(() => timer(Math.max(0, timing.interval() * parts - timing.settle))).pipe(
                  ignoreElements(),
                ),
              ),
        ),
      );
    });
  }
}

function runs({ planId, converged }: DeliveryAcked, { id }: Plan): boolean {
  return converged && planId === id;
}

/** Its HAProxyCfg is the one that was verified, and its Secrets are there; what is in them is seen when they are read. */
function isWhole({ name, uid }: RetainedConfig, { found, parts }: RetainedStock): boolean {
  const known = found.find((config) => config.uid === uid);
  if (known === undefined || known.parts === 0) return false;
  const present = new Set(parts);
  return Array.from({ length: known.parts }, (_, index) => partName(name, index)).every((part) =>
    present.has(part),
  );
}
