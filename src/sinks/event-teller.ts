import {
  EMPTY,
  type Observable,
  Subject,
  asyncScheduler,
  concat,
  concatMap,
  defer,
  filter,
  finalize,
  interval,
  map,
  merge,
  mergeMap,
  of,
  tap,
} from 'rxjs';
import { LRUCache } from 'lru-cache';
import type { EventWritten, SeenEvent } from '../kube/event-objects.ts';
import { digest } from '../lib/digest.ts';
import { type BucketLimits, createTokenBucket, type TokenBucket } from '../lib/token-bucket.ts';
import { createBreaker } from '../operators/create-breaker.ts';
import { createSlots } from '../operators/create-slots.ts';
import { paced } from '../operators/paced.ts';
import type { ObjectReference } from '../protocol/declared.ts';
import type { EventChange, EventFact } from './event-fact.ts';

/** The very object that an Event is about. */
export interface Regarding extends ObjectReference {
  readonly uid: string;
  readonly resourceVersion?: string;
}

export interface EventToTell {
  /** The same for the same thing about the same object, in every process. */
  readonly name: string;
  readonly regarding: Regarding;
  readonly fact: EventFact;
  /** ISO 8601. */
  readonly at: string;
}

/** Effects on the cluster: each emits once and completes, never errors; unsubscribing ends the request. */
export interface EventEffects {
  /** Undefined: there is no such object (any more). Must be cheap. */
  readonly find: (about: EventFact['about']) => Regarding | undefined;
  /** Events of former processes by name; those that cannot be read are not told twice even so, at the cost of a request each. */
  readonly known: () => Observable<ReadonlyMap<string, SeenEvent>>;
  readonly create: (event: EventToTell) => Observable<EventWritten>;
  /** Says that it was seen again: `count` times in all. */
  readonly repeat: (event: EventToTell, count: number) => Observable<EventWritten>;
}

export interface EventLimits {
  /** Of each object. */
  readonly object: BucketLimits;
  /** Of all together. */
  readonly all: BucketLimits & { readonly size: number };
  /** Milliseconds after which what still holds is told again, so that it does not expire. */
  readonly refresh: number;
  /** Milliseconds between attempts while Events cannot be written. */
  readonly retry: { readonly min: number; readonly max: number };
}

export interface EventReport {
  readonly kind: 'created' | 'repeated' | 'dropped' | 'failed';
  readonly fact: EventFact;
  /** Why it was dropped or failed. */
  readonly message?: string;
}

const rememberedObjects = 4_096;
const rememberedEvents = 10_000;
const requests = 4;

interface Told {
  count: number;
  lastSeen: number;
}

/**
 * Tells about objects in Events: what begins or happens, at once; what holds on, again now and then; what is seen again of the
 * same, as one more of its series. What a former process has told is not told again. Of one object, and of all, no more than the
 * limits say: what is beyond them is dropped and counted, and what holds on is told when it is due the next time.
 *
 * Loss policy: bounded, see above; what ended before its turn is not told. Never errors, never completes before its source.
 *
 * @param holding facts that hold, by key: kept by the caller, looked at when their turn comes
 */
export function tellEvents(
  change$: Observable<EventChange>,
  holding: ReadonlyMap<string, EventFact>,
  effects: EventEffects,
  limits: EventLimits,
): Observable<EventReport> {
  return defer(() => {
    const told = new LRUCache<string, Told>({ max: rememberedEvents });
    const buckets = new LRUCache<string, TokenBucket>({ max: rememberedObjects });
    const dropped$ = new Subject<EventReport>();
    const breaker = createBreaker();
    /** When each of those that hold was told last. */
    const due = new Map<string, number>();
    let known: ReadonlyMap<string, SeenEvent> = new Map();
    const slots = createSlots({ total: requests, suspects: requests });
    let failures = 0;
    let underway = 0;

    const drop = (fact: EventFact, message: string): EventReport => ({ kind: 'dropped', fact, message });

    const tell = (fact: EventFact): Observable<EventReport> =>
      defer(() => {
        if (fact.lasting && !holding.has(fact.key)) return EMPTY;
        const now = asyncScheduler.now();
        due.set(fact.key, now);
        const regarding = effects.find(fact.about);
        if (regarding === undefined) return of(drop(fact, 'the object is gone'));
        if (underway >= limits.all.size) return of(drop(fact, 'too many wait for the API'));
        const event: EventToTell = {
          name: eventName(regarding, fact),
          regarding,
          fact,
          at: new Date(now).toISOString(),
        };
        const former = known.get(event.name);
        const mine = told.get(event.name);
        if (mine === undefined && former !== undefined && now - former.lastSeen < limits.refresh) {
          told.set(event.name, { ...former });
          due.set(fact.key, former.lastSeen);
          return EMPTY;
        }
        const series = mine ?? (former && { ...former });
        if (series !== undefined) {
          series.count += 1;
          told.set(event.name, series);
        }
        if (!bucketOf(regarding).take(now)) return of(drop(fact, 'there were too many of this object'));
        underway += 1;
        return send(event, series).pipe(finalize(() => (underway -= 1)));
      });

    const send = (event: EventToTell, series: Told | undefined): Observable<EventReport> =>
      breaker.admit().pipe(
        concatMap(() =>
          slots.run(series === undefined ? effects.create(event) : effects.repeat(event, series.count)),
        ),
        concatMap((answer): Observable<EventReport> => {
          const { fact, name } = event;
          const now = asyncScheduler.now();
          if (answer.kind !== 'unavailable' && answer.kind !== 'forbidden') {
            failures = 0;
            breaker.close();
          }
          switch (answer.kind) {
            case 'done':
              told.set(name, { count: series?.count ?? 1, lastSeen: now });
              return of({ kind: series === undefined ? 'created' : 'repeated', fact });
            case 'exists':
              told.set(name, { ...answer.known });
              return EMPTY;
            case 'gone':
              told.delete(name);
              return series === undefined ? of(drop(fact, 'its namespace is gone')) : send(event, undefined);
            case 'refused':
              return of({ kind: 'failed', fact, message: answer.message });
            case 'forbidden':
            case 'unavailable': {
              const { min, max } = limits.retry;
              breaker.trip(
                answer.kind === 'forbidden' ? max : Math.min(max, min * 2 ** Math.min(failures, 30)),
              );
              failures += 1;
              const isOver = fact.lasting && !holding.has(fact.key);
              return concat(
                of<EventReport>({ kind: 'failed', fact, message: answer.message }),
                isOver ? EMPTY : defer(() => send(event, series)),
              );
            }
          }
        }),
      );

    const bucketOf = ({ uid }: Regarding): TokenBucket => {
      const bucket = buckets.get(uid) ?? createTokenBucket(limits.object);
      buckets.set(uid, bucket);
      return bucket;
    };

    const overdue$ = interval(limits.refresh / 20).pipe(
      mergeMap(() => {
        const now = asyncScheduler.now();
        for (const key of due.keys()) if (!holding.has(key)) due.delete(key);
        return [...holding.values()].filter(({ key }) => now - (due.get(key) ?? 0) >= limits.refresh);
      }),
      tap(({ key }) => due.set(key, asyncScheduler.now())),
    );

    /** Nothing is told before it is known what was. */
    const early: EventFact[] = [];
    let isReady = false;
    const ready$ = effects.known().pipe(
      concatMap((found) => {
        known = found;
        isReady = true;
        return early.splice(0);
      }),
    );
    const fact$ = merge(
      of(...holding.values()),
      change$.pipe(
        filter((change) => change.kind !== 'ended'),
        map(({ fact }) => fact),
      ),
      overdue$,
    ).pipe(
      filter((fact) => {
        if (!isReady) early.push(fact);
        return isReady;
      }),
    );
    return merge(
      dropped$,
      merge(fact$, ready$).pipe(
        paced({ ...limits.all, onDrop: (fact) => dropped$.next(drop(fact, 'there were too many')) }),
        mergeMap(tell),
      ),
    );
  });
}

/** Not of the process: another one finds the Event by it. */
function eventName({ name, uid }: Regarding, { type, reason, action, note }: EventFact): string {
  return `${name.slice(0, 200)}.${digest(JSON.stringify([uid, type, reason, action, note]))}`;
}
