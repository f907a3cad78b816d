import { asyncScheduler, concat, defer, map, mergeMap, Observable, of, Subscription, timer } from 'rxjs';
import type { OpenStream, StreamItem } from '../kube/open-stream.ts';
import { resourcePath, type ResourceRef } from '../kube/resource-path.ts';
import type { Decoder } from './decoder.ts';
import { listDecoder } from './list-decoder.ts';
import { defaultListWatchPolicy, type ListWatchPolicy } from './list-watch-policy.ts';
import {
  initialListWatchState,
  silenceLimit,
  type ListWatchEffect,
  type ListWatchSignal,
} from './list-watch-state.ts';
import { step } from './list-watch-step.ts';
import { watchDecoder } from './watch-decoder.ts';
import type { WatchEvent } from './watch-event.ts';

export interface ListWatchDeps {
  readonly open: OpenStream;
  /** In [0, 1): spreads time-outs and retries. */
  readonly random: () => number;
  readonly policy?: ListWatchPolicy;
}

/** For watches that outlive their subscribers by a while: at shutdown they must not. */
export interface StopDeps {
  /** Its first value ends the watch and completes the stream. */
  readonly stop$?: Observable<unknown>;
}

/** The objects of one kind that are of interest. */
export interface ListWatchResource extends ResourceRef {
  /** Objects come with nothing but their metadata. */
  readonly metadataOnly?: boolean;
  /** Objects are told however deep they are nested; else one that is nested without end is malformed. */
  readonly anyDepth?: boolean;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/**
 * Lists and watches a kind for as long as somebody is subscribed: the effects around the pure `step`.
 *
 * Never errors and never completes; failures are events. Loss policy: none. The events of one network chunk come
 * synchronously, one after the other, so that a burst can be coalesced downstream. One request or wait runs at a time;
 * what replaces it, and unsubscribing, aborts it, also while it is connecting.
 */
export function listWatch(deps: ListWatchDeps, resource: ListWatchResource): Observable<WatchEvent> {
  return new Observable<WatchEvent>((subscriber) => {
    let state = initialListWatchState(deps.policy ?? defaultListWatchPolicy);
    let running = new Subscription();
    let silence = Subscription.EMPTY;
    const queue: { readonly signal: ListWatchSignal; readonly from: Subscription }[] = [];
    let draining = false;

    const dispatch = (signal: ListWatchSignal, from: Subscription): void => {
      queue.push({ signal, from });
      if (draining) return;
      draining = true;
      for (let next = queue.shift(); next !== undefined; next = queue.shift())
        if (!next.from.closed) advance(next.signal);
      draining = false;
    };
    const advance = (signal: ListWatchSignal): void => {
      const result = step(state, { ...signal, at: asyncScheduler.now(), random: deps.random() });
      ({ state } = result);
      for (const event of result.events) subscriber.next(event);
      if (subscriber.closed) return;
      if (result.effect !== undefined) replaceRunning(result.effect);
      watchForSilence();
    };
    const replaceRunning = (effect: ListWatchEffect): void => {
      running.unsubscribe();
      const mine = new Subscription();
      running = mine;
      mine.add(
        perform(deps, resource, effect).subscribe({
          next: (signal) => dispatch(signal, mine),
          error: (error: unknown) => subscriber.error(error),
        }),
      );
    };
    const watchForSilence = (): void => {
      silence.unsubscribe();
      const limit = silenceLimit(state);
      const from = running;
      if (limit !== undefined)
        silence = timer(limit).subscribe({
          next: () => dispatch({ kind: 'silent' }, from),
          error: (error: unknown) => subscriber.error(error),
        });
    };

    dispatch({ kind: 'start' }, running);
    return () => {
      running.unsubscribe();
      silence.unsubscribe();
    };
  });
}

const metadataLists = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const metadataEvents = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

function perform(
  deps: ListWatchDeps,
  resource: ListWatchResource,
  effect: ListWatchEffect,
): Observable<ListWatchSignal> {
  const path = resourcePath(resource);
  const selectors = { labelSelector: resource.labelSelector, fieldSelector: resource.fieldSelector };
  const accept = (form: string): { readonly headers?: { readonly accept: string } } =>
    resource.metadataOnly === true ? { headers: { accept: form } } : {};
  switch (effect.kind) {
    case 'wait':
      return timer(effect.ms).pipe(map(() => ({ kind: 'elapsed' })));
    case 'list': {
      const query = { ...selectors, limit: effect.limit, continue: effect.continue };
      return decoded(() => listDecoder(resource), deps.open({ path, query, ...accept(metadataLists) }));
    }
    case 'watch': {
      const { resourceVersion, timeoutSeconds, idleMs } = effect;
      const query = {
        ...selectors,
        watch: 1,
        allowWatchBookmarks: true,
        timeoutSeconds,
        ...(resourceVersion === undefined
          ? { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' }
          : { resourceVersion }),
      };
      // The socket's own time-out is a belt: it must not be faster than ours.
      const answer$ = deps.open({
        path,
        query,
        bodyTimeout: idleMs + 1000,
        ...accept(metadataEvents),
      });
      return decoded(() => watchDecoder(resource), answer$);
    }
  }
}

function decoded(makeDecoder: () => Decoder, answer$: Observable<StreamItem>): Observable<ListWatchSignal> {
  return defer(() => {
    const decoder = makeDecoder();
    const signals = (item: StreamItem): readonly ListWatchSignal[] =>
      item.kind === 'text' ? decoder.push(item.text) : [item];
    return concat(
      answer$.pipe(mergeMap(signals)),
      defer(() => of(decoder.end())),
    );
  });
}
