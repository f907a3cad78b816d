import { backoffDelay, spread } from '../lib/backoff.ts';
import { describeFailure, type KubeFailure } from '../kube/kube-failure.ts';
import { beginList, beginNext } from './list-watch-begin.ts';
import type { ListProgress, ListWatchInput, ListWatchState, ListWatchStep } from './list-watch-state.ts';
import type { DegradedReason, WatchEvent } from './watch-event.ts';

/**
 * What follows a failed or broken request. Nothing known is ever forgotten here; the version to resume from is kept
 * unless the server said it is of no use.
 *
 * | failure | then |
 * | --- | --- |
 * | 410 (`Expired`, `Gone`) | list anew: at once the first time, then with backoff |
 * | 400, 422 of a streaming list | paged lists from now on |
 * | 400 of a watch from a version, or of a page | list anew, with backoff |
 * | 403 | degraded, slow retry |
 * | 404 | never seen: absent; else degraded, and a list when it is back; slow retry |
 * | 400, 405, 422 of a list | degraded, slow retry |
 * | 429, 503 and others with `Retry-After` | not before that time, and not before the backoff |
 * | anything else | backoff; degraded after some failures in a row |
 */
export function afterFailure(
  before: ListWatchState,
  failure: KubeFailure,
  input: ListWatchInput,
): ListWatchStep {
  const state = countFailure(before, input.at);
  // What is retried at its own slow pace must not make the next backoff longer.
  const uncounted = { ...state, attempt: state.attempt - 1 };
  const status = failure.kind === 'http' ? failure.status : undefined;
  const message = describeFailure(failure);
  if (isExpired(failure)) return onExpired(state, message, input);
  switch (status) {
    case 400:
    case 405:
    case 422:
      return onRefused(state, uncounted, message, input);
    case 403:
      return slowly(degraded(uncounted, 'forbidden', message), message, input);
    case 404:
      return slowly(onMissing(uncounted, message), message, input);
    default: {
      const persistent = state.attempt >= state.policy.degradedAfter && state.condition === undefined;
      const told = persistent ? degraded(state, 'unreachable', message) : { state, events: [] };
      const backoff = backoffDelay(state.policy.backoff, state.attempt - 1, input.random);
      const asked = failure.kind === 'http' ? (failure.retryAfterMs ?? 0) : 0;
      return wait(told, Math.max(backoff, asked), message);
    }
  }
}

type Told = Omit<ListWatchStep, 'effect'>;

/** The failure counts from 1 again when all was well for long enough. */
function countFailure(state: ListWatchState, at: number): ListWatchState {
  const healthy = state.healthySince === undefined ? 0 : at - state.healthySince;
  const attempt = healthy >= state.policy.backoff.resetAfter ? 1 : state.attempt + 1;
  return { ...state, attempt, healthySince: undefined };
}

function isExpired(failure: KubeFailure): boolean {
  return failure.kind === 'http' && (failure.status === 410 || failure.reason === 'Expired');
}

function onExpired(state: ListWatchState, message: string, input: ListWatchInput): ListWatchStep {
  const { activity } = state;
  const inPages = activity.kind === 'listing' && activity.list.continue !== undefined;
  const next = { ...state, resourceVersion: undefined, unpaged: state.unpaged || inPages };
  if (state.attempt > 1) return relistLater(next, message, input);
  return inPages ? beginList(next) : beginNext(next, input);
}

function onRefused(
  state: ListWatchState,
  uncounted: ListWatchState,
  message: string,
  input: ListWatchInput,
): ListWatchStep {
  const { activity } = state;
  if (activity.kind === 'streaming-list') return beginList({ ...uncounted, streamingRefused: true });
  if (activity.kind === 'watching' || (activity.kind === 'listing' && activity.list.continue !== undefined))
    return relistLater({ ...state, resourceVersion: undefined }, message, input);
  return slowly(degraded(uncounted, 'refused', message), message, input);
}

function onMissing(state: ListWatchState, message: string): Told {
  if (state.synced) return degraded({ ...state, resourceVersion: undefined }, 'vanished', message);
  const events: WatchEvent[] = state.absent ? [] : [{ kind: 'absent', message }];
  if (state.condition !== undefined) events.push({ kind: 'recovered' });
  return { state: { ...state, absent: true, condition: undefined }, events };
}

function degraded(state: ListWatchState, reason: DegradedReason, message: string): Told {
  const events: readonly WatchEvent[] =
    state.condition === reason ? [] : [{ kind: 'degraded', reason, message }];
  return { state: { ...state, condition: reason }, events };
}

function relistLater(state: ListWatchState, message: string, input: ListWatchInput): ListWatchStep {
  const ms = backoffDelay(state.policy.backoff, state.attempt - 1, input.random);
  return wait({ state: { ...state, activity: { kind: 'idle' } }, events: [] }, ms, message);
}

function slowly(told: Told, message: string, input: ListWatchInput): ListWatchStep {
  const { slowRetry, backoff } = told.state.policy;
  return wait(told, spread(slowRetry, backoff.jitter, input.random), message);
}

/** A list that failed midway goes on with the page it failed on; what was told of it is only told again. */
function wait({ state, events }: Told, ms: number, message: string): ListWatchStep {
  return {
    state: { ...state, activity: { kind: 'waiting', list: pageToRetry(state) } },
    effect: { kind: 'wait', ms },
    events: [...events, { kind: 'retrying', attempt: state.attempt, delayMs: ms, message }],
  };
}

function pageToRetry({ activity }: ListWatchState): ListProgress | undefined {
  return activity.kind === 'listing' && activity.list.continue !== undefined ? activity.list : undefined;
}
