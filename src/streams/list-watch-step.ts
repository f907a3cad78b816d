import { assertNever } from '../lib/assert-never.ts';
import type { KubeFailure } from '../kube/kube-failure.ts';
import { afterFailure } from './list-watch-failure.ts';
import { beginNext, beginList } from './list-watch-begin.ts';
import type {
  Activity,
  ListProgress,
  ListWatchInput,
  ListWatchState,
  ListWatchStep,
} from './list-watch-state.ts';
import type { WatchLine } from './parse-watch-line.ts';
import type { WatchEvent } from './watch-event.ts';

/**
 * The whole behaviour of a list+watch, pure: what happened to the running request or wait → what to tell, and what to do
 * next. Inputs that do not belong to the present activity change nothing.
 *
 * The rules are those of the Kubernetes API concepts (resourceVersions, watch, bookmarks, streaming lists) and of
 * client-go's reflector:
 * - the first state comes as a streaming list (`sendInitialEvents`); a server that refuses it (400, 422) or never sends
 *   its end marker gets paged lists from then on
 * - a watch that ends resumes from the last version seen, which bookmarks advance; only 410, in whichever of its three
 *   places, garbage twice at one spot, or a kind that had vanished make a new list
 * - a list that comes back empty for a kind that had objects takes effect only when a second list says the same
 * - failures never end anything: see `afterFailure`
 */
export function step(state: ListWatchState, input: ListWatchInput): ListWatchStep {
  const { activity } = state;
  if (isContent(input) && isUnopened(activity)) {
    const opened = onOpened(state, input.at);
    return prepend(opened.events, step(opened.state, input));
  }
  switch (input.kind) {
    case 'start':
      return activity.kind === 'idle' ? beginNext(state, input) : unchanged(state);
    case 'elapsed':
      if (activity.kind !== 'waiting') return unchanged(state);
      return activity.list === undefined ? beginNext(state, input) : beginList(state, activity.list);
    case 'opened':
      return onOpened(state, input.at);
    case 'objects':
      return activity.kind === 'listing' ? onObjects(state, activity, input) : unchanged(state);
    case 'list-end':
      return activity.kind === 'listing' ? onListEnd(state, activity.list, input) : unchanged(state);
    case 'lines':
      if (activity.kind === 'watching') return onWatchLines(state, activity, input);
      if (activity.kind === 'streaming-list') return onInitialLines(state, activity, input);
      return unchanged(state);
    case 'closed':
      return onClosed(state, input);
    case 'failed':
      return isRequest(activity) ? afterFailure(state, input.failure, input) : unchanged(state);
    case 'silent':
      return onSilent(state, input);
    default:
      return assertNever(input);
  }
}

function unchanged(state: ListWatchState): ListWatchStep {
  return { state, events: [] };
}

function isContent({ kind }: ListWatchInput): boolean {
  return kind === 'lines' || kind === 'objects' || kind === 'list-end';
}

function isUnopened(activity: Activity): boolean {
  if (activity.kind === 'listing') return !activity.opened;
  return (
    (activity.kind === 'watching' || activity.kind === 'streaming-list') && activity.openedAt === undefined
  );
}

function isRequest(activity: Activity): boolean {
  return activity.kind !== 'idle' && activity.kind !== 'waiting';
}

function onOpened(state: ListWatchState, at: number): ListWatchStep {
  const { activity } = state;
  switch (activity.kind) {
    case 'listing': {
      const next = { ...state, activity: { ...activity, opened: true } };
      const first = !activity.opened && activity.list.continue === undefined;
      return { state: next, events: first ? [{ kind: 'init' }] : [] };
    }
    case 'streaming-list':
      if (activity.openedAt !== undefined) return unchanged(state);
      return { state: { ...state, activity: { ...activity, openedAt: at } }, events: [{ kind: 'init' }] };
    case 'watching':
      if (activity.openedAt !== undefined) return unchanged(state);
      return recovered({
        ...state,
        activity: { ...activity, openedAt: at },
        healthySince: state.healthySince ?? at,
      });
    case 'idle':
    case 'waiting':
      return unchanged(state);
  }
}

function recovered(state: ListWatchState, then: readonly WatchEvent[] = []): ListWatchStep {
  return state.condition === undefined
    ? { state, events: then }
    : { state: { ...state, condition: undefined }, events: [{ kind: 'recovered' }, ...then] };
}

function onObjects(
  state: ListWatchState,
  activity: Activity & { readonly kind: 'listing' },
  input: ListWatchInput & { readonly kind: 'objects' },
): ListWatchStep {
  const events = input.objects.map((entry): WatchEvent =>
    entry.ok ? { kind: 'init-apply', object: entry.object } : { kind: 'malformed', problem: entry.problem },
  );
  const count = activity.list.count + input.objects.filter(({ ok }) => ok).length;
  return { state: { ...state, activity: { ...activity, list: { ...activity.list, count } } }, events };
}

function onListEnd(
  state: ListWatchState,
  list: ListProgress,
  input: ListWatchInput & { readonly kind: 'list-end' },
): ListWatchStep {
  if (input.continue !== undefined) return beginList(state, { ...list, continue: input.continue });
  if (list.count === 0 && state.held > 0 && !list.confirming) return confirmEmpty(state);
  const done = completed(state, input.resourceVersion, list.count);
  const next = beginNext(done.state, input);
  return { ...next, events: [...done.events, ...next.events] };
}

/** Waits a moment and lists once more: a restored or half-started API server may answer with nothing. */
function confirmEmpty(state: ListWatchState): ListWatchStep {
  const list = { continue: undefined, confirming: true, count: 0 };
  return {
    state: { ...state, activity: { kind: 'waiting', list } },
    effect: { kind: 'wait', ms: state.policy.confirmAfter },
    events: [{ kind: 'empty-unconfirmed', held: state.held }],
  };
}

function completed(state: ListWatchState, resourceVersion: string, count: number): ListWatchStep {
  const next: ListWatchState = {
    ...state,
    resourceVersion,
    held: count,
    synced: true,
    absent: false,
    unpaged: false,
    garbledAt: undefined,
  };
  return recovered(next, [{ kind: 'init-done', resourceVersion }]);
}

function onInitialLines(
  state: ListWatchState,
  activity: Activity & { readonly kind: 'streaming-list' },
  input: ListWatchInput & { readonly kind: 'lines' },
): ListWatchStep {
  const events: WatchEvent[] = [];
  let { count } = activity;
  for (const [index, line] of input.lines.entries()) {
    switch (line.kind) {
      case 'object':
        if (line.change === 'deleted') events.push({ kind: 'delete', object: line.object });
        else events.push({ kind: 'init-apply', object: line.object });
        count += countChange(line.change);
        break;
      case 'malformed':
        events.push({ kind: 'malformed', problem: line.problem });
        break;
      case 'bookmark': {
        if (!line.initialEventsEnd) break;
        if (count <= 0 && state.held > 0) return prepend(events, confirmEmpty(state));
        const done = completed(state, line.resourceVersion, Math.max(0, count));
        const { idleMs } = activity;
        const watching: ListWatchState = {
          ...done.state,
          activity: { kind: 'watching', idleMs, openedAt: activity.openedAt ?? input.at, events: 1 },
          healthySince: done.state.healthySince ?? input.at,
        };
        const rest = step(watching, { ...input, lines: input.lines.slice(index + 1) });
        return prepend([...events, ...done.events], rest);
      }
      case 'error':
        return prepend(events, afterFailure(state, line.failure, input));
      case 'garbage':
        return prepend(events, afterFailure(state, { kind: 'protocol', message: line.message }, input));
    }
  }
  const next = { ...state, activity: { ...activity, count } };
  const endless = activity.openedAt !== undefined && input.at - activity.openedAt > state.policy.markerTotal;
  return endless ? prepend(events, refuseStreaming(next)) : { state: next, events };
}

function onWatchLines(
  state: ListWatchState,
  activity: Activity & { readonly kind: 'watching' },
  input: ListWatchInput & { readonly kind: 'lines' },
): ListWatchStep {
  const events: WatchEvent[] = [];
  let { resourceVersion, held } = state;
  const soFar = (): ListWatchState => ({
    ...state,
    resourceVersion,
    held,
    activity: { ...activity, events: activity.events + input.lines.length },
  });
  const broken = (line: WatchLine & { readonly kind: 'garbage' }): ListWatchStep => {
    const again = state.garbledAt !== undefined && state.garbledAt === resourceVersion;
    const garbled = again
      ? { ...soFar(), resourceVersion: undefined, garbledAt: undefined }
      : { ...soFar(), garbledAt: resourceVersion };
    return afterFailure(garbled, { kind: 'protocol', message: line.message }, input);
  };
  for (const line of input.lines) {
    switch (line.kind) {
      case 'object':
        events.push({ kind: line.change === 'deleted' ? 'delete' : 'apply', object: line.object });
        held = Math.max(0, held + countChange(line.change));
        resourceVersion = line.object.metadata.resourceVersion ?? resourceVersion;
        break;
      case 'malformed':
        events.push({ kind: 'malformed', problem: line.problem });
        resourceVersion = line.resourceVersion ?? resourceVersion;
        break;
      case 'bookmark':
        ({ resourceVersion } = line);
        break;
      case 'error':
        return prepend(events, afterFailure(soFar(), line.failure, input));
      case 'garbage':
        return prepend(events, broken(line));
    }
  }
  return { state: soFar(), events };
}

function countChange(change: 'added' | 'modified' | 'deleted'): number {
  return change === 'added' ? 1 : change === 'deleted' ? -1 : 0;
}

function prepend(events: readonly WatchEvent[], next: ListWatchStep): ListWatchStep {
  return { ...next, events: [...events, ...next.events] };
}

function refuseStreaming(state: ListWatchState): ListWatchStep {
  return beginList({ ...state, streamingRefused: true });
}

function onClosed(state: ListWatchState, input: ListWatchInput): ListWatchStep {
  const { activity } = state;
  if (activity.kind === 'watching') {
    const openFor = activity.openedAt === undefined ? 0 : input.at - activity.openedAt;
    if (activity.events > 0 || openFor >= state.policy.shortWatch) return beginNext(state, input);
    return afterFailure(state, cutShort(`the watch ended after ${openFor} ms without an event`), input);
  }
  if (activity.kind === 'streaming-list')
    return afterFailure(state, cutShort('the watch ended before all initial events'), input);
  if (activity.kind === 'listing')
    return afterFailure(state, cutShort('the list ended before it was complete'), input);
  return unchanged(state);
}

function cutShort(message: string): KubeFailure {
  return { kind: 'protocol', message };
}

function onSilent(state: ListWatchState, input: ListWatchInput): ListWatchStep {
  const { activity } = state;
  if (activity.kind === 'streaming-list' && activity.openedAt !== undefined) return refuseStreaming(state);
  if (activity.kind !== 'watching' && activity.kind !== 'streaming-list') return unchanged(state);
  const message = `nothing came for ${activity.idleMs / 1000} s`;
  return afterFailure(state, { kind: 'network', code: 'IDLE', message }, input);
}
