import { Observable, Subscription, asyncScheduler, map, of, timeout, timer } from 'rxjs';
import type { LeaseRequests } from '../kube/lease-requests.ts';
import type { DeploymentIntent } from '../protocol/deployment-intent.ts';
import { type ElectionView, electionView } from './election-view.ts';
import { nextRequest } from './lease-next.ts';
import {
  type ElectionCommand,
  type ElectionSignal,
  type ElectionState,
  type LeaseRequest,
  type LeaseTiming,
  initialElection,
} from './lease-state.ts';
import { leaseStep } from './lease-step.ts';
import type { WatchEvent } from './watch-event.ts';

export interface LeaseElectionDeps {
  readonly namespace: string;
  /** Of the Lease. */
  readonly name: string;
  /** Of this process; no other one has the same. */
  readonly identity: string;
  readonly requests: LeaseRequests;
  /** The Lease as list and watch have it, and nothing else of its kind. */
  readonly watch$: Observable<WatchEvent>;
  /** The present times at once, then every change. */
  readonly timing$: Observable<LeaseTiming>;
  readonly command$: Observable<ElectionCommand>;
  /** Highest epoch that any pod is known to have seen. */
  readonly podEpoch: () => number;
  /** What goes out to pods in this term; it is asked at each renewal, and when the Lease is given back. */
  readonly intent?: () => DeploymentIntent | undefined;
  readonly random: () => number;
  /** Local monotonic clock, milliseconds. */
  readonly now: () => number;
}

/**
 * Campaigns for a Lease for as long as somebody is subscribed: the effects around the pure `leaseStep`. Emits a view after
 * everything that happens, the first when the times are known. Never errors and never completes. One request runs at a
 * time; unsubscribing aborts it and leaves the Lease as it is: who wants it given back commands `release` first.
 *
 * No clock but this process's own counts: a standby waits from when it *saw* the Lease change.
 */
export function leaseElection(deps: LeaseElectionDeps): Observable<ElectionView> {
  return new Observable<ElectionView>((subscriber) => {
    let state: ElectionState | undefined;
    let request = Subscription.EMPTY;
    let wait = Subscription.EMPTY;
    const queue: ElectionSignal[] = [];
    let draining = false;

    const observer = {
      next: (signal: ElectionSignal) => dispatch(signal),
      error: (error: unknown) => subscriber.error(error),
    };
    const dispatch = (signal: ElectionSignal): void => {
      queue.push(signal);
      if (draining) return;
      draining = true;
      for (let next = queue.shift(); next !== undefined && !subscriber.closed; next = queue.shift())
        advance(next);
      draining = false;
    };
    const advance = (signal: ElectionSignal): void => {
      if (state === undefined) {
        if (signal.kind !== 'timing') return;
        state = initialElection({ ...deps, timing: signal.timing });
      }
      const intent = deps.intent?.();
      const step = leaseStep(state, signal, {
        at: deps.now(),
        wall: asyncScheduler.now(),
        random: deps.random(),
        podEpoch: deps.podEpoch(),
        ...(intent && { intent }),
      });
      ({ state } = step);
      subscriber.next(electionView(state));
      if (step.request !== undefined) request = perform(deps.requests, step.request).subscribe(observer);
      wait.unsubscribe();
      const due = dueIn(state, deps.now());
      if (due !== undefined) wait = timer(due).pipe(map(elapsed)).subscribe(observer);
    };

    const sources = new Subscription();
    // The times come first: before them nothing is listened to.
    sources.add(deps.timing$.pipe(map(asTiming)).subscribe(observer));
    sources.add(deps.command$.subscribe(observer));
    sources.add(watched(deps.watch$).subscribe(observer));
    return () => {
      sources.unsubscribe();
      request.unsubscribe();
      wait.unsubscribe();
    };
  });
}

const elapsed = (): ElectionSignal => ({ kind: 'elapsed' });
const asTiming = (timing: LeaseTiming): ElectionSignal => ({ kind: 'timing', timing });

/** Milliseconds until something is to be done without anything happening. */
function dueIn(state: ElectionState, now: number): number | undefined {
  const at = Math.min(nextRequest(state)?.at ?? Infinity, state.term?.deadline ?? Infinity);
  return at === Infinity ? undefined : Math.max(0, Math.ceil(at - now));
}

function perform(requests: LeaseRequests, request: LeaseRequest): Observable<ElectionSignal> {
  const { kind, lease, timeout: ms } = request;
  const answer$ =
    kind === 'read' || lease === undefined
      ? requests.read()
      : kind === 'create'
        ? requests.create(lease)
        : requests.replace(lease);
  const message = `no answer within ${ms} ms`;
  return answer$.pipe(
    timeout({
      first: ms,
      with: () => of({ ok: false as const, failure: { kind: 'network' as const, code: 'TIMEOUT', message } }),
    }),
    map((result) => ({ kind: 'answered', result })),
  );
}

/** What a watch says of the one object that it is about. */
function watched(event$: Observable<WatchEvent>): Observable<ElectionSignal> {
  return new Observable((subscriber) => {
    let isListed = false;
    return event$.subscribe({
      next: (event) => {
        switch (event.kind) {
          case 'init':
            isListed = false;
            return;
          case 'init-apply':
          case 'apply':
            isListed = true;
            subscriber.next({ kind: 'watching', isWatched: true });
            subscriber.next({ kind: 'seen', lease: event.object });
            return;
          case 'init-done':
            subscriber.next({ kind: 'watching', isWatched: true });
            if (!isListed) subscriber.next({ kind: 'seen' });
            return;
          case 'delete':
            subscriber.next({ kind: 'seen' });
            return;
          case 'absent':
          case 'degraded':
          case 'retrying':
            subscriber.next({ kind: 'watching', isWatched: false });
            return;
          case 'recovered':
          case 'empty-unconfirmed':
          case 'malformed':
            return;
        }
      },
      error: (error: unknown) => subscriber.error(error),
    });
  });
}
