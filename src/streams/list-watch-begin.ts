import type { ListProgress, ListWatchState, ListWatchStep } from './list-watch-state.ts';

const newList: ListProgress = { continue: undefined, confirming: false, count: 0 };

/** After so many failures in a row a streaming list may be what fails: the next try is a paged one. */
const streamingTries = 2;

/** Begins what is due: a watch from the last version; else a streaming list; else, where that is refused, a list. */
export function beginNext(state: ListWatchState, input: { readonly random: number }): ListWatchStep {
  const { policy, resourceVersion } = state;
  if (resourceVersion === undefined && (state.streamingRefused || state.attempt >= streamingTries))
    return beginList(state);
  const { min, max } = policy.watchSeconds;
  const timeoutSeconds = min + Math.floor(input.random * (max - min + 1));
  const idleMs = timeoutSeconds * 1000 + policy.idleMargin;
  return {
    state: {
      ...state,
      activity:
        resourceVersion === undefined
          ? { kind: 'streaming-list', idleMs, openedAt: undefined, count: 0 }
          : { kind: 'watching', idleMs, openedAt: undefined, events: 0 },
    },
    effect: { kind: 'watch', resourceVersion, timeoutSeconds, idleMs },
    events: [],
  };
}

/** Begins a list, or its next page. */
export function beginList(state: ListWatchState, list: ListProgress = newList): ListWatchStep {
  return {
    state: { ...state, activity: { kind: 'listing', list, opened: false } },
    effect: {
      kind: 'list',
      limit: state.unpaged ? undefined : state.policy.pageSize,
      continue: list.continue,
    },
    events: [],
  };
}
