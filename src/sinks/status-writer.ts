import {
  EMPTY,
  type Observable,
  asyncScheduler,
  concat,
  concatMap,
  defer,
  map,
  of,
  race,
  take,
  timer,
} from 'rxjs';
import type { StatusApplied, StatusToApply } from '../kube/status-objects.ts';
import { createBreaker, type Breaker } from '../operators/create-breaker.ts';
import { createSlots } from '../operators/create-slots.ts';
import { exhaustMapLatestByKey } from '../operators/exhaust-map-latest-by-key.ts';
import type { ObjectReference } from '../protocol/declared.ts';
import type { StatusManager } from '../protocol/status-manager.ts';
import type { StatusWish } from './status-book.ts';
import { stampConditions } from './status-conditions.ts';
import { isSaid } from './status-compare.ts';
import { createStatusMemory, type LiveStatus, type OwnStatuses, type StatusStep } from './status-memory.ts';

export interface StatusEffects {
  /** Emits once and completes, never errors; unsubscribing ends the request. */
  readonly apply: (write: StatusToApply) => Observable<StatusApplied>;
  readonly live: LiveStatus;
}

/** Milliseconds. */
export interface StatusTiming {
  /** After a failure: doubles from `min` to `max`; what was refused is tried again after `max`. */
  readonly retry: { readonly min: number; readonly max: number };
  /** Between attempts for a kind that may not be written. */
  readonly forbidden: number;
}

export interface StatusReport {
  readonly kind: 'written' | 'withdrawn' | 'gone' | 'conflict' | 'refused' | 'forbidden' | 'failed';
  /** `networking.k8s.io/v1 Ingress web/shop`. */
  readonly object: string;
  readonly manager: StatusManager;
  readonly message?: string;
}

const requests = { total: 8, suspects: 8 };

/**
 * Brings statuses to what is wished, one request per object at a time, by server-side apply: what a status says already is not written,
 * what is declared no more is given up by the manager that said it, and what is other people's stays. New parts are applied before
 * old ones are given up, so that a status says nothing false in between.
 *
 * Failures are tried again with growing pauses; where all objects of a kind, or all requests, would fail the same way, one of them
 * finds out. A status that somebody else overwrites is written again, less and less often.
 *
 * Loss policy: latest wish wins, per object. Reports of one object come in order. Never errors, never completes before its source.
 *
 * @param own what former processes wrote, as far as is known; may come later
 */
export function writeStatuses(
  wish$: Observable<StatusWish>,
  effects: StatusEffects,
  timing: StatusTiming,
  own: OwnStatuses,
): Observable<StatusReport> {
  return defer(() => {
    const memory = createStatusMemory(own, timing.retry);
    const slots = createSlots(requests);
    const api = createBreaker();
    const kinds = new Map<string, Breaker>();
    let outages = 0;

    const breakerOf = ({ apiVersion, kind }: ObjectReference): Breaker => {
      const name = `${apiVersion} ${kind}`;
      const breaker = kinds.get(name) ?? createBreaker();
      kinds.set(name, breaker);
      return breaker;
    };

    const settle = (wish: StatusWish, newer$: Observable<void>, failures = 0): Observable<StatusReport> =>
      defer(() => {
        const step = memory.next(wish, effects.live);
        switch (step.kind) {
          case 'settled':
            return EMPTY;
          case 'wait':
            return unless(newer$, timer(step.milliseconds), () => settle(wish, newer$, failures));
          case 'write':
            return unless(newer$, admitted(step.target), () => attempt(wish, step, newer$, failures));
        }
      });

    /** Both may begin, or something newer is wanted before. */
    const admitted = (target: ObjectReference) =>
      breakerOf(target)
        .admit()
        .pipe(concatMap(() => api.admit()));

    const attempt = (
      wish: StatusWish,
      step: Extract<StatusStep, { kind: 'write' }>,
      newer$: Observable<void>,
      failures: number,
    ): Observable<StatusReport> => {
      const { target, manager, content, uid, status } = step;
      const now = new Date(asyncScheduler.now()).toISOString();
      const write: StatusToApply = {
        target,
        manager,
        ...(content !== undefined && { status: stampConditions(content, status, now) }),
        ...(uid !== undefined && { uid }),
      };
      const report = (kind: StatusReport['kind'], message?: string): StatusReport => ({
        kind,
        object: wish.key,
        manager,
        ...(message !== undefined && { message }),
      });
      const again = (pause: number) => unless(newer$, timer(pause), () => settle(wish, newer$, failures + 1));
      const kind = breakerOf(target);

      return slots.run(effects.apply(write)).pipe(
        concatMap((answer): Observable<StatusReport> => {
          if (answer.kind !== 'unavailable') {
            api.close();
            outages = 0;
            if (answer.kind !== 'forbidden') kind.close();
          }
          switch (answer.kind) {
            case 'done': {
              memory.wrote(wish.key, step, answer.object);
              if (content !== undefined && !isSaid(answer.object['status'], content)) {
                memory.refuse(wish.key, step);
                return concat(of(report('refused', notKept)), settle(wish, newer$));
              }
              return concat(
                of(report(content === undefined ? 'withdrawn' : 'written')),
                settle(wish, newer$),
              );
            }
            case 'gone':
              memory.forget(wish.key);
              return of(report('gone'));
            case 'conflict':
              return concat(of(report('conflict', answer.message)), again(growing(failures)));
            case 'refused':
              return concat(of(report('refused', answer.message)), again(timing.retry.max));
            case 'forbidden':
              kind.trip(timing.forbidden);
              return concat(of(report('forbidden', answer.message)), again(0));
            case 'unavailable':
              api.trip(Math.max(growing(outages), answer.retryAfterMs ?? 0));
              outages += 1;
              return concat(of(report('failed', answer.message)), again(0));
          }
        }),
      );
    };

    const growing = (failures: number): number =>
      Math.min(timing.retry.max, timing.retry.min * 2 ** Math.min(failures, 30));

    return wish$.pipe(exhaustMapLatestByKey({ keyOf: ({ key }) => key, project: settle }));
  });
}

const notKept = 'the API does not keep what the status should say: the schema of the kind may not have it';

/** Waits, and goes on unless there is something newer. */
function unless<T>(
  newer$: Observable<void>,
  wait$: Observable<unknown>,
  next: () => Observable<T>,
): Observable<T> {
  return race(wait$.pipe(map(() => true)), newer$.pipe(map(() => false))).pipe(
    take(1),
    concatMap((isDue) => (isDue ? next() : EMPTY)),
  );
}
