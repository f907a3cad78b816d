import {
  EMPTY,
  type Observable,
  ReplaySubject,
  Subject,
  concat,
  concatMap,
  connect,
  defer,
  distinctUntilChanged,
  filter,
  ignoreElements,
  map,
  merge,
  mergeMap,
  of,
  share,
  switchMap,
  take,
  timer,
} from 'rxjs';
import { drainInSlices } from '../operators/drain-in-slices.ts';
import type { Bundle } from '../protocol/bundle.ts';
import type { ObjectReference } from '../protocol/declared.ts';
import { createStatusBook, type ChangedKeys, type StatusBook, type StatusWish } from './status-book.ts';
import type { DeployedStatuses } from './status-deployed.ts';
import type { OwnStatus } from './status-memory.ts';
import { type StatusEffects, type StatusReport, type StatusTiming, writeStatuses } from './status-writer.ts';

export interface StatusInputs {
  /** Every render, also one that declares something else with the same content. */
  readonly bundle$: Observable<Bundle>;
  /** Objects that HAProxy refuses, by `formatOwner`. */
  readonly refused$: Observable<ReadonlySet<string>>;
  /** As known since this process leads: subscribed once for each term. */
  readonly deployed$: Observable<DeployedStatuses>;
  /** Wishes for statuses that no template declares. */
  readonly own$: Observable<StatusWish>;
  /** Keys of objects that changed in the cluster. */
  readonly touched$: Observable<ChangedKeys>;
  /** True as long as this process may write. */
  readonly leader$: Observable<boolean>;
}

export type StatusKind = Pick<ObjectReference, 'apiVersion' | 'kind'>;

/** The answer to a question about the cluster. */
export type Asked<T> =
  { readonly kind: 'known'; readonly value: T } | { readonly kind: 'unknown'; readonly message: string };

/** Effects on the cluster: each emits once and completes, never errors; unsubscribing ends the requests. */
export interface KeepStatusesEffects extends StatusEffects {
  /** Kinds whose statuses were ever written. */
  readonly kinds: () => Observable<Asked<readonly StatusKind[]>>;
  /** Writes down that there may be statuses of these kinds. */
  readonly writeKinds: (kinds: readonly StatusKind[]) => Observable<Asked<unknown>>;
  /** What stands in statuses of a kind from former processes, by key. */
  readonly inventory: (kind: StatusKind) => Observable<Asked<ReadonlyMap<string, OwnStatus>>>;
}

/** What was done, or what is in the way of knowing what former processes wrote. */
export type KeptStatus = StatusReport | { readonly kind: 'unknown'; readonly message: string };

type Step = { readonly kind: 'key'; readonly key: string } | Extract<KeptStatus, { kind: 'unknown' }>;

/** Wishes that are compared with what stands there before others have their turn. */
const slice = 200;

/**
 * Keeps statuses as they should be, while this process leads: what templates declare, as far as it holds, and nothing else of ours. A
 * process that does not lead keeps itself informed, and writes nothing.
 *
 * What former processes wrote is found by the kinds that were written down before the first write of each.
 *
 * Loss policy: latest wins, per object. Never errors, never completes.
 */
export function keepStatuses(
  inputs: StatusInputs,
  effects: KeepStatusesEffects,
  timing: StatusTiming,
): Observable<KeptStatus> {
  return defer(() => {
    const book = createStatusBook();
    const isRendered = new ReplaySubject<void>(1);
    const own = new Map<string, StatusWish>();
    const changed$ = merge(
      inputs.bundle$.pipe(
        map((bundle) => {
          const keys = book.takeRender(bundle);
          isRendered.next();
          return keys;
        }),
      ),
      inputs.refused$.pipe(map(book.takeRefused)),
      inputs.own$.pipe(
        map((wish) => {
          own.set(wish.key, wish);
          return [wish.key];
        }),
      ),
      inputs.touched$.pipe(map((keys) => [...keys].filter((key) => book.has(key) || own.has(key)))),
    ).pipe(share());
    return merge(
      changed$.pipe(ignoreElements()),
      inputs.leader$.pipe(
        distinctUntilChanged(),
        // A source, not work: who leads no more ends all requests.
        switchMap((isLeader) =>
          // Before the first render, nothing is declared that is there: nothing is given up then.
          isLeader
            ? isRendered.pipe(
                take(1),
                concatMap(() => lead(book, own, changed$)),
              )
            : EMPTY,
        ),
      ),
    );
  });

  function lead(
    book: StatusBook,
    own: ReadonlyMap<string, StatusWish>,
    changed$: Observable<ChangedKeys>,
  ): Observable<KeptStatus> {
    return defer(() => {
      book.forgetDeployed();
      const former = new Map<string, OwnStatus>();
      const known = new Set<string>();
      const areKindsKnown = new ReplaySubject<void>(1);

      const found$ = untilKnown(() => effects.kinds()).pipe(
        mergeMap((step): Observable<Asked<ReadonlyMap<string, OwnStatus>>> => {
          if (step.kind === 'unknown') return of(step);
          for (const kind of step.value) known.add(kindKey(kind));
          areKindsKnown.next();
          return merge(...step.value.map((kind) => untilKnown(() => effects.inventory(kind))));
        }),
      );
      const keysOf = ({ value }: { readonly value: ReadonlyMap<string, OwnStatus> }): ChangedKeys => {
        for (const [key, status] of value) former.set(key, status);
        return value.keys();
      };

      const wishOf = (key: string): StatusWish => own.get(key) ?? book.wish(key);
      const newKindOf = (key: string): StatusKind | undefined => {
        const { target } = wishOf(key);
        return target === undefined || known.has(kindKey(target)) ? undefined : target;
      };
      /** Keys of kinds that are being written down: nothing is written of a kind before it is. */
      const held = new Map<string, Set<string>>();
      const again = new Subject<ChangedKeys>();
      const heldBack = (key: string): readonly StatusKind[] => {
        const kind = newKindOf(key);
        if (kind === undefined) return [];
        const keys = held.get(kindKey(kind));
        if (keys !== undefined) {
          keys.add(key);
          return [];
        }
        held.set(kindKey(kind), new Set([key]));
        return [kind];
      };
      const writtenDown = (kind: StatusKind): Observable<Step> =>
        concat(
          areKindsKnown.pipe(
            take(1),
            filter(() => !known.has(kindKey(kind))),
            concatMap(() => untilKnown(() => effects.writeKinds([...[...known].map(kindOfKey), kind]))),
            filter((step) => step.kind === 'unknown'),
          ),
          defer(() => {
            known.add(kindKey(kind));
            const keys = held.get(kindKey(kind)) ?? [];
            held.delete(kindKey(kind));
            again.next(keys);
            return EMPTY;
          }),
        );
      const kept = (changed: Observable<ChangedKeys>): Observable<KeptStatus> =>
        merge(changed, again).pipe(
          drainInSlices(slice),
          connect((key$) =>
            merge(
              key$.pipe(
                filter((key) => newKindOf(key) === undefined),
                map((key): Step => ({ kind: 'key', key })),
              ),
              // In order: new kinds are rare, and hold up nobody but each other.
              key$.pipe(mergeMap(heldBack), concatMap(writtenDown)),
            ),
          ),
          connect((step$) =>
            merge(
              step$.pipe(filter((step) => step.kind === 'unknown')),
              writeStatuses(
                step$.pipe(
                  filter((step) => step.kind === 'key'),
                  map(({ key }) => wishOf(key)),
                ),
                effects,
                timing,
                former,
              ),
            ),
          ),
        );
      return found$.pipe(
        connect((step$) =>
          merge(
            step$.pipe(filter((step) => step.kind === 'unknown')),
            kept(
              merge(
                of([...book.keys(), ...own.keys()]),
                changed$,
                inputs.deployed$.pipe(map(book.takeDeployed)),
                step$.pipe(
                  filter((step) => step.kind === 'known'),
                  map(keysOf),
                ),
              ),
            ),
          ),
        ),
      );
    });
  }

  /** What is in the way, as long as it is, with growing pauses between the attempts; then what was asked for. */
  function untilKnown<T>(ask: () => Observable<Asked<T>>, failures = 0): Observable<Asked<T>> {
    const pause = Math.min(timing.retry.max, timing.retry.min * 2 ** Math.min(failures, 30));
    return defer(ask).pipe(
      concatMap((answer) =>
        answer.kind === 'known'
          ? of(answer)
          : concat(of(answer), timer(pause).pipe(concatMap(() => untilKnown(ask, failures + 1)))),
      ),
    );
  }
}

function kindKey({ apiVersion, kind }: StatusKind): string {
  return `${apiVersion} ${kind}`;
}

function kindOfKey(key: string): StatusKind {
  const [apiVersion = '', kind = ''] = key.split(' ');
  return { apiVersion, kind };
}
