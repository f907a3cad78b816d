import {
  EMPTY,
  type Observable,
  Subject,
  concat,
  concatMap,
  connect,
  defer,
  distinctUntilChanged,
  filter,
  map,
  merge,
  of,
  race,
  switchMap,
  take,
  tap,
  timer,
} from 'rxjs';
import { equalData } from '../collections/equal-data.ts';
import { valuesOf, type OrderedMap } from '../lib/ordered-map.ts';
import { createSlots } from '../operators/create-slots.ts';
import { exhaustMapLatest } from '../operators/exhaust-map-latest.ts';
import { perKeyLatest } from '../operators/per-key-latest.ts';
import { type DeclaredResource, type ObjectReference, referenceKey } from '../protocol/declared.ts';
import { formatOwner } from '../lib/owner.ts';

/** An object of ours, as it was seen last; see `OwnObject` of the API's side. */
export interface KnownResource {
  readonly reference: ObjectReference;
  readonly uid: string;
  readonly isPartial: boolean;
  readonly digest: string;
  readonly declaredBy: string;
}

export type KindOfResource = Pick<ObjectReference, 'apiVersion' | 'kind'>;

interface Trouble {
  readonly reason: string;
  readonly message: string;
}

/** Effects on the cluster: each emits once and completes, never errors; unsubscribing ends the request. */
export interface ResourceEffects {
  readonly apply: (
    declared: DeclaredResource,
    options: { readonly known: KnownResource | undefined; readonly always: boolean },
  ) => Observable<
    | { readonly kind: 'done'; readonly object: KnownResource; readonly isNew: boolean }
    | ({ readonly kind: 'refused' | 'failed' } & Trouble)
  >;
  readonly remove: (
    own: KnownResource,
  ) => Observable<{ readonly kind: 'done' } | ({ readonly kind: 'failed' } & Trouble)>;
  /** All that there is of former processes. */
  readonly inventory: () => Observable<{
    readonly kinds: readonly KindOfResource[];
    readonly objects: readonly KnownResource[];
    /** Nothing is known: it is asked again before anything is done. */
    readonly trouble?: Trouble;
    /** Of some kinds it is not known which objects there are: what is left of them is removed later. */
    readonly unlisted?: Trouble;
  }>;
  /** Writes down of which kinds there are objects; undefined when it is done. */
  readonly writeKinds: (kinds: readonly KindOfResource[]) => Observable<Trouble | undefined>;
}

export interface K8sResourcesOptions {
  readonly effects: ResourceEffects;
  /** Of namespaced objects that name none. */
  readonly namespace: string;
  /** True as long as this process may write. */
  readonly leader$: Observable<boolean>;
  readonly timing: K8sResourcesTiming;
}

/** Milliseconds. */
export interface K8sResourcesTiming {
  /** After a failure: doubles from `min` to `max`; what was refused is tried again after `max`. */
  readonly retry: { readonly min: number; readonly max: number };
  /** After which an object is applied again, in case somebody has changed it. */
  readonly resync: number;
}

/** What an accepted render declares. */
export interface AcceptedResources {
  readonly resources: OrderedMap<DeclaredResource>;
  /** Whether a declaring object (as `formatOwner` has it) is held back or fails: what it declared before is not taken for gone. */
  readonly isHeldBack: (owner: string) => boolean;
}

export interface ResourceReport {
  /** `kept`: not declared any more, but its declaring object is held back. */
  readonly kind: 'applied' | 'unchanged' | 'removed' | 'kept' | 'refused' | 'failed';
  /** `v1 ConfigMap web/shop`. */
  readonly object: string;
  readonly owner?: string;
  readonly reason?: string;
  readonly message?: string;
}

type Wish =
  | { readonly kind: 'apply'; readonly key: string; readonly declared: DeclaredResource }
  | { readonly kind: 'remove'; readonly key: string; readonly own: KnownResource }
  | { readonly kind: 'keep'; readonly key: string; readonly own: KnownResource };

const requests = { total: 4, suspects: 4 };

/**
 * Brings the objects that templates declare to the cluster: those of the newest accepted render, one request per object at a time. What
 * did not change is not asked for; what is declared no more is removed, also if a former process made it. Nothing is written before
 * it is written down of which kinds objects are made, so that none is forgotten. Failures are tried again with growing pauses.
 *
 * Loss policy: latest render wins, per object. Reports of one object come in order. Never errors, never completes.
 */
export function k8sResources(
  accepted$: Observable<AcceptedResources>,
  { effects, namespace, leader$, timing }: K8sResourcesOptions,
): Observable<ResourceReport> {
  return leader$.pipe(
    distinctUntilChanged(),
    // A source, not work: who leads no more ends all requests.
    switchMap((isLeader) => (isLeader ? lead() : EMPTY)),
  );

  function lead(): Observable<ResourceReport> {
    return defer(() => {
      const slots = createSlots(requests);
      /** Ours, or maybe: an apply that was begun may have made one. */
      const ours = new Map<string, KnownResource>();
      let kinds: readonly KindOfResource[] = [];
      let unlisted: Trouble | undefined;
      const restocked$ = new Subject<void>();

      const report = (kind: ResourceReport['kind'], { key }: Wish, more: Partial<ResourceReport> = {}) => ({
        kind,
        object: key,
        ...more,
      });

      /** Ends with a report only where there was one of a failure. */
      const untilDone = (
        attempt: () => Observable<Trouble | undefined>,
        failures = 0,
      ): Observable<ResourceReport> =>
        defer(attempt).pipe(
          concatMap((trouble) =>
            trouble === undefined
              ? failures === 0
                ? EMPTY
                : of<ResourceReport>({ kind: 'unchanged', object: inventoryName })
              : concat(
                  of<ResourceReport>({ kind: 'failed', object: inventoryName, ...trouble }),
                  timer(growing(failures)).pipe(concatMap(() => untilDone(attempt, failures + 1))),
                ),
          ),
        );

      const takeStock = (): Observable<Trouble | undefined> =>
        effects.inventory().pipe(
          map(({ kinds: found, objects, trouble, unlisted: left }) => {
            unlisted = left;
            kinds = [...new Map([...kinds, ...found].map((kind) => [kindKey(kind), kind])).values()];
            for (const own of objects) {
              const key = referenceKey(own.reference);
              // What this process has done meanwhile is newer.
              if (!ours.has(key)) ours.set(key, own);
            }
            return trouble;
          }),
        );

      /** For what could not be listed at first. */
      const takeRestOfStock = (): Observable<ResourceReport> => {
        let isFirst = true;
        const attempt = (): Observable<Trouble | undefined> => {
          if (!isFirst) return takeStock().pipe(map((trouble) => trouble ?? unlisted));
          isFirst = false;
          return of(unlisted);
        };
        return concat(
          untilDone(attempt),
          defer(() => {
            restocked$.next();
            return EMPTY;
          }),
        );
      };

      const writtenDown = (accepted: AcceptedResources): Observable<AcceptedResources | ResourceReport> => {
        const known = new Set(kinds.map(kindKey));
        const added = [...valuesOf(accepted.resources)]
          .map(({ reference }) => reference)
          .filter((reference) => !known.has(kindKey(reference)));
        if (added.length === 0) return of(accepted);
        const all = [...kinds, ...added.map(({ apiVersion, kind }) => ({ apiVersion, kind }))];
        const write = (): Observable<Trouble | undefined> => effects.writeKinds(all);
        return concat(
          untilDone(write),
          defer(() => {
            kinds = all;
            return of(accepted);
          }),
        );
      };

      const wishes = ({ resources, isHeldBack }: AcceptedResources): readonly Wish[] => {
        const wanted = [...valuesOf(resources)].map((declared): Wish => {
          const { reference } = declared;
          const key = referenceKey(reference);
          const placed = referenceKey({ ...reference, namespace });
          // A namespaced one that names none is known under that of the controller.
          const isPlaced = reference.namespace === '' && ours.has(placed);
          return { kind: 'apply', key: isPlaced ? placed : key, declared };
        });
        const keys = new Set(wanted.map(({ key }) => key));
        const others = [...ours].filter(([key]) => !keys.has(key));
        return [
          ...wanted,
          ...others.map(([key, own]): Wish =>
            isHeldBack(own.declaredBy) ? { kind: 'keep', key, own } : { kind: 'remove', key, own },
          ),
        ];
      };

      const applied = (
        wish: Extract<Wish, { kind: 'apply' }>,
        newer$: Observable<void>,
        failures = 0,
        always = false,
      ): Observable<ResourceReport> =>
        defer(() => {
          const { declared } = wish;
          const owner = formatOwner(declared.owner);
          const known = ours.get(wish.key);
          if (known === undefined) ours.set(wish.key, begunBy(declared, owner));
          const attempt$ = effects.apply(declared, { known: known?.uid === '' ? undefined : known, always });
          return slots.run(attempt$).pipe(
            concatMap((result): Observable<ResourceReport> => {
              if (result.kind !== 'done') {
                const { kind, reason, message } = result;
                const pause = kind === 'refused' ? timing.retry.max : growing(failures);
                return concat(
                  of(report(kind, wish, { owner, reason, message })),
                  unless(newer$, pause, () => applied(wish, newer$, failures + 1, always)),
                );
              }
              const placed = referenceKey(result.object.reference);
              if (placed !== wish.key) ours.delete(wish.key);
              ours.set(placed, { ...result.object, declaredBy: owner });
              return concat(
                of(report(result.isNew ? 'applied' : 'unchanged', wish, { owner })),
                unless(newer$, timing.resync, () => applied(wish, newer$, 0, true)),
              );
            }),
          );
        });

      const removed = (
        wish: Extract<Wish, { kind: 'remove' }>,
        newer$: Observable<void>,
        failures = 0,
      ): Observable<ResourceReport> =>
        defer(() =>
          slots.run(effects.remove(wish.own)).pipe(
            concatMap((result): Observable<ResourceReport> => {
              if (result.kind === 'done') {
                ours.delete(wish.key);
                return of(report('removed', wish));
              }
              const { reason, message } = result;
              return concat(
                of(report('failed', wish, { reason, message })),
                unless(newer$, growing(failures), () => removed(wish, newer$, failures + 1)),
              );
            }),
          ),
        );

      const project = (wish: Wish, newer$: Observable<void>): Observable<ResourceReport> => {
        switch (wish.kind) {
          case 'apply':
            return applied(wish, newer$);
          case 'remove':
            return removed(wish, newer$);
          case 'keep':
            return of(report('kept', wish, { owner: wish.own.declaredBy }));
        }
      };

      const followed = (): Observable<ResourceReport> => {
        let latest: AcceptedResources | undefined;
        const again$ = restocked$.pipe(
          map(() => latest),
          filter((accepted) => accepted !== undefined),
        );
        return merge(accepted$.pipe(tap((accepted) => (latest = accepted))), again$).pipe(
          exhaustMapLatest(writtenDown),
          connect((step$) =>
            merge(
              step$.pipe(filter((step) => 'object' in step)),
              step$.pipe(
                filter((step) => 'resources' in step),
                map(wishes),
                perKeyLatest({ keyOf: ({ key }) => key, same: sameWish, concurrent: Infinity, project }),
              ),
            ),
          ),
        );
      };

      return concat(
        untilDone(takeStock),
        merge(
          followed(),
          defer(() => (unlisted === undefined ? EMPTY : takeRestOfStock())),
        ),
      );
    });
  }

  function growing(failures: number): number {
    return Math.min(timing.retry.max, timing.retry.min * 2 ** failures);
  }
}

const inventoryName = 'own objects of former processes';

/** Of an object that an apply may have made. */
function begunBy({ reference }: DeclaredResource, owner: string): KnownResource {
  return { reference, uid: '', isPartial: false, digest: '', declaredBy: owner };
}

function kindKey({ apiVersion, kind }: KindOfResource): string {
  return `${apiVersion} ${kind}`;
}

/** Renders share what did not change. */
function sameWish(a: Wish, b: Wish): boolean {
  if (a.kind === 'apply') return b.kind === 'apply' && equalData(a.declared, b.declared);
  return b.kind === a.kind && a.own.uid === b.own.uid;
}

/** Waits, and goes on unless there is something newer. */
function unless<T>(newer$: Observable<void>, pause: number, next: () => Observable<T>): Observable<T> {
  return race(timer(pause).pipe(map(() => true)), newer$.pipe(map(() => false))).pipe(
    take(1),
    concatMap((isDue) => (isDue ? next() : EMPTY)),
  );
}
