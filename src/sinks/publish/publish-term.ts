import {
  EMPTY,
  type Observable,
  asyncScheduler,
  catchError,
  concat,
  concatMap,
  defer,
  filter,
  from,
  mergeMap,
  of,
  tap,
  timeout,
} from 'rxjs';
import {
  describePublished,
  type KnownPublished,
  type PublishedKind,
  type PublishedObject,
  type PublishedOwner,
} from '../../kube/published-object.ts';
import type { PublishResult, PublishTrouble } from '../../kube/published-objects.ts';
import { errorMessage } from '../../lib/error-message.ts';
import type { DeliveryReport } from '../../protocol/delivery-report.ts';
import { oversizedForm } from './encode-content.ts';
import { podEntries } from './pod-entries.ts';
import { type ConditionFacts, fileConditions, mainConditions, twinConditions } from './publish-conditions.ts';
import type { PublishEffects, PublishReport, PublishTiming } from './publish-effects.ts';
import type { PublishState } from './publish-state.ts';
import { companionsOf } from './companions-of.ts';
import { publishStatus, type StatusWish, timed } from './publish-status.ts';
import type { PublishedNames } from './published-names.ts';
import type { WantedFile, WantedFiles } from './wanted-files.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Failing extends PublishTrouble {
  readonly failures: number;
  /** Milliseconds of the scheduler's clock: not to be tried before. */
  readonly due: number;
}

/** What one leader knows of what is published, and does about it. */
export interface PublishTerm {
  /**
   * One pass over everything: writes what is not as it should be and is due, and reports it. Completes; never errors.
   *
   * @param isRepeated of the same state, for what failed
   */
  readonly round: (state: PublishState, isRepeated: boolean) => Observable<PublishReport>;
  /** When there is something to try again, on the scheduler's clock; undefined: there is not. */
  readonly due: () => number | undefined;
  /** A pod's report; true if it is news. */
  readonly note: (report: DeliveryReport) => boolean;
  /** Somebody may have changed something: the next round looks first. */
  readonly restock: () => void;
}

export interface PublishTermDeps {
  readonly effects: PublishEffects;
  readonly names: PublishedNames;
  readonly namespace: string;
  readonly timing: PublishTiming;
}

const stockKey = 'stock';
const concurrent = 4;
/** Renders of which is remembered what haproxy.cfg they had: pods may be on any of them. */
const rememberedPlans = 16;

export function createPublishTerm({ effects, names, namespace, timing }: PublishTermDeps): PublishTerm {
  const known = new Map<string, KnownPublished>();
  const statuses = new Map<string, Fields>();
  const failing = new Map<string, Failing>();
  /** HAProxyCfgs that were written in this term: their times are known. */
  const fresh = new Set<string>();
  const checksums = new Map<string, string>();
  const pods = podEntries(namespace);
  const mainKey = keyOf({ kind: 'config', name: names.main });
  const twinKey = keyOf({ kind: 'config', name: names.twin });
  let isStocked = false;
  let writes = 0;

  const report = (more: Omit<PublishReport, 'failing'>): PublishReport => ({
    ...more,
    failing: failing.size,
  });
  const isDue = (key: string): boolean => (failing.get(key)?.due ?? 0) <= asyncScheduler.now();

  const fails = (key: string, object: string, trouble: PublishTrouble): PublishReport => {
    const failures = (failing.get(key)?.failures ?? 0) + 1;
    const longest = trouble.kind === 'refused' ? timing.retry.refused : timing.retry.max;
    const pause = Math.min(longest, timing.retry.min * 2 ** (failures - 1));
    failing.set(key, { ...trouble, failures, due: asyncScheduler.now() + pause });
    if (trouble.kind === 'lost' || trouble.kind === 'absent') isStocked = false;
    if (trouble.kind === 'lost') known.delete(key.replace(statusPrefix, ''));
    const { reason, message } = trouble;
    const kind = trouble.kind === 'absent' ? 'off' : trouble.kind === 'refused' ? 'refused' : 'failed';
    return report({ kind, object, reason, message });
  };
  /** With a limit of time, and an error as what it is: a failure. */
  const attempt = <T>(effect$: Observable<PublishResult<T>>): Observable<PublishResult<T>> =>
    effect$.pipe(
      timeout({
        first: timing.deadline,
        with: () => of(failedWith('DeadlineExceeded', 'no answer in time')),
      }),
      catchError((error: unknown) => of(failedWith('RequestFailed', errorMessage(error)))),
    );

  const takeStock = ({ options }: PublishState): Observable<PublishReport> =>
    attempt(
      effects.stock((object) => known.get(keyOf(object))?.resourceVersion !== object.resourceVersion),
    ).pipe(
      concatMap((result) => {
        if (!result.ok) {
          const trouble = fails(stockKey, describePublished(mainObject), result.trouble);
          return options.enabled ? of(trouble) : EMPTY;
        }
        const found = new Map(result.value.objects.map((object) => [keyOf(object), object]));
        for (const [key, object] of found) {
          const former = known.get(key);
          // Somebody else has written it: what it says is not known any more.
          const isForeign = former !== undefined && former.resourceVersion !== object.resourceVersion;
          known.set(key, isForeign ? { ...object, digest: '' } : object);
        }
        for (const key of known.keys()) if (!found.has(key)) known.delete(key);
        for (const [name, status] of result.value.statuses) statuses.set(name, status);
        for (const name of statuses.keys())
          if (!known.has(keyOf({ kind: 'config', name }))) statuses.delete(name);
        pods.seed(statuses.get(names.main)?.['deployedToPods']);
        isStocked = true;
        return failing.delete(stockKey)
          ? of(report({ kind: 'ready', object: describePublished(mainObject) }))
          : EMPTY;
      }),
    );

  const mainObject = { kind: 'config', name: names.main } as const;
  const ownerOfFiles = (): PublishedOwner | undefined => {
    const main = known.get(mainKey);
    return main && { kind: 'HAProxyCfg', name: main.name, uid: main.uid };
  };
  const needsWrite = (file: WantedFile): boolean => {
    const key = keyOf(file);
    return known.get(key)?.digest !== file.digest && isDue(key);
  };

  const write = (file: WantedFile, { compressionThreshold }: PublishState['options']) =>
    effects.encode(file, compressionThreshold).pipe(
      concatMap((object) => store(object, file)),
      catchError((error: unknown) =>
        of(fails(keyOf(file), describePublished(file), troubleOf('EncodingFailed', errorMessage(error)))),
      ),
    );

  const store = (object: PublishedObject, file: WantedFile): Observable<PublishReport> => {
    const key = keyOf(object);
    const former = known.get(key);
    const owner = object.kind === 'config' ? undefined : ownerOfFiles();
    return attempt(effects.apply(object, { known: former, ...(owner && { owner }) })).pipe(
      concatMap((result) => {
        if (!result.ok) {
          const isTooLarge = result.trouble.kind === 'too_large' && object.oversized === undefined;
          if (isTooLarge) return store(oversizedForm(object, file.size), file);
          return of(fails(key, describePublished(object), result.trouble));
        }
        writes++;
        known.set(key, result.value);
        failing.delete(key);
        if (object.kind === 'config') fresh.add(object.name);
        const { path, checksum, oversized } = object;
        const kind = oversized === undefined ? ('written' as const) : ('too_large' as const);
        const written = report({
          kind,
          object: describePublished(object),
          path,
          checksum,
          bytes: file.size,
        });
        const isSaid = oversized === undefined && former?.oversized !== true;
        const hasOwnStatus = object.kind !== 'config' && object.kind !== 'secret';
        return isSaid || !hasOwnStatus ? of(written) : concat(of(written), saySize(result.value, oversized));
      }),
    );
  };

  /** A file tells itself that it is too large, or that it is not any more. */
  const saySize = (object: KnownPublished, oversized: number | undefined): Observable<PublishReport> => {
    const now = isoNow();
    const conditions = timed(fileConditions(oversized), [], object.generation, now);
    const status = { observedGeneration: object.generation, conditions };
    return applyStatus(object, status, keyOf(object)).pipe(
      tap(({ kind }) => {
        // Written anew when it is tried again, and its status with it.
        if (kind !== 'status') known.set(keyOf(object), { ...object, digest: '' });
      }),
    );
  };

  const applyStatus = (
    object: KnownPublished,
    status: Parameters<PublishEffects['applyStatus']>[1],
    key: string,
  ): Observable<PublishReport> =>
    attempt(effects.applyStatus(object, status)).pipe(
      concatMap((result) => {
        const name = describePublished(object);
        if (!result.ok) return of(fails(key, name, result.trouble));
        writes++;
        known.set(keyOf(object), result.value);
        statuses.set(object.name, status);
        failing.delete(key);
        return of(report({ kind: 'status', object: name }));
      }),
    );

  const remove = (object: KnownPublished): Observable<PublishReport> =>
    attempt(effects.remove(object)).pipe(
      concatMap((result) => {
        const key = keyOf(object);
        if (!result.ok) return of(fails(key, describePublished(object), result.trouble));
        writes++;
        known.delete(key);
        statuses.delete(object.name);
        failing.delete(key);
        return of(report({ kind: 'removed', object: describePublished(object) }));
      }),
    );

  const status = (name: string, wish: StatusWish): Observable<PublishReport> => {
    const object = known.get(keyOf({ kind: 'config', name }));
    const key = statusKeyOf(name);
    if (object === undefined || !isDue(key)) return EMPTY;
    const next = publishStatus(wish, statuses.get(name) ?? {}, isoNow());
    return next === undefined ? EMPTY : applyStatus(object, next, key);
  };

  const mainStatus = ({ accepted, pinned, fleet, retained }: PublishState, files: WantedFiles) => {
    const main = known.get(mainKey);
    const { config, others } = files;
    if (main === undefined || accepted === undefined || config === undefined) return EMPTY;
    if (fleet !== undefined) pods.keep(fleet);
    const { plan, renderedAt, validatedAt } = accepted;
    if (main.digest === config.digest) remember(plan.id, main.checksum);
    const facts: ConditionFacts = {
      pinned,
      twin: names.twin,
      failing: [...failing].filter(([key]) => !key.startsWith(statusPrefix)),
      oversized: [...known.values()].filter(({ oversized }) => oversized),
    };
    return status(names.main, {
      generation: main.generation,
      conditions: mainConditions(facts),
      ...(fresh.has(names.main) && { times: { renderedAt, validatedAt } }),
      contentSize: config.size,
      totalSize: others.reduce((sum, { size }) => sum + size, config.size),
      auxiliaryFiles: companionsOf(
        others.filter((file) => known.has(keyOf(file))),
        namespace,
      ),
      pods: pods.list((planId) => checksums.get(planId)),
      ...(retained && { retained }),
    });
  };

  const remember = (planId: string, checksum: string): void => {
    checksums.delete(planId);
    checksums.set(planId, checksum);
    for (const oldest of checksums.keys()) {
      if (checksums.size <= rememberedPlans) break;
      checksums.delete(oldest);
    }
  };

  const twin = (state: PublishState): Observable<PublishReport> => {
    const { refused } = state;
    const present = known.get(twinKey);
    if (refused === undefined) return EMPTY;
    if (refused === 'none') return present !== undefined && isDue(twinKey) ? remove(present) : EMPTY;
    const file = state.twinOf(refused.plan);
    if (file === undefined) return EMPTY;
    return concat(
      needsWrite(file) ? write(file, state.options) : EMPTY,
      defer(() => {
        const object = known.get(twinKey);
        if (object?.digest !== file.digest) return EMPTY;
        return status(names.twin, {
          generation: object.generation,
          conditions: twinConditions(refused.words),
          ...(fresh.has(names.twin) && { times: { renderedAt: refused.renderedAt } }),
          contentSize: file.size,
          totalSize: file.size,
          validationError: refused.words,
        });
      }),
    );
  };

  const surplus = (wanted: ReadonlyMap<string, unknown>): Observable<PublishReport> =>
    from([...known]).pipe(
      filter(([key]) => key !== twinKey && !wanted.has(key) && isDue(key)),
      mergeMap(([, object]) => remove(object), concurrent),
    );

  const giveUp = (isOver: (key: string, failure: Failing) => boolean): Observable<PublishReport> =>
    defer(() => {
      const over = [...failing].filter(([key, failure]) => isOver(key, failure)).map(([key]) => key);
      for (const key of over) failing.delete(key);
      return from(over.map((key) => report({ kind: 'given_up', object: key.replace(statusPrefix, '') })));
    });

  const show = (state: PublishState, isRepeated: boolean): Observable<PublishReport> => {
    const { options, accepted } = state;
    if (!options.enabled)
      return concat(
        surplus(new Map()),
        defer(() => twin({ ...state, refused: 'none' })),
      );
    if (accepted === undefined) return twin(state);
    const files = state.filesOf(accepted.plan);
    const { config, others } = files;
    if (config === undefined) return EMPTY;
    const wanted = new Map([config, ...others].map((file) => [keyOf(file), file.digest]));
    const isOver = (key: string): boolean =>
      key !== stockKey &&
      key !== twinKey &&
      !key.startsWith(statusPrefix) &&
      wanted.get(key) === known.get(key)?.digest;
    return concat(
      needsWrite(config) ? write(config, options) : EMPTY,
      // What they are owned by has to be there.
      defer(() => (known.has(mainKey) ? from(others) : EMPTY)).pipe(
        filter(needsWrite),
        mergeMap((file) => write(file, options), concurrent),
      ),
      defer(() => twin(state)),
      defer(() => surplus(wanted)),
      giveUp(isOver),
      // What is tried again is no occasion to tell of the pods before it is time.
      defer(() =>
        isRepeated && writes === 0 && !failing.has(statusKeyOf(names.main))
          ? EMPTY
          : mainStatus(state, files),
      ),
    );
  };

  return {
    round: (state, isRepeated) =>
      defer(() => {
        const start = asyncScheduler.now();
        writes = 0;
        return concat(
          defer(() => (isStocked || !isDue(stockKey) ? EMPTY : takeStock(state))),
          defer(() => (isStocked ? show(state, isRepeated) : EMPTY)),
          // What was due and has not been tried by now is not wanted any more.
          defer(() => (isStocked ? giveUp((_key, { due }) => due <= start) : EMPTY)),
          defer(() =>
            writes === 0
              ? EMPTY
              : of(
                  report({
                    kind: 'published',
                    object: describePublished(mainObject),
                    ...(state.accepted && { planId: state.accepted.plan.id }),
                    writes,
                    tookMs: asyncScheduler.now() - start,
                  }),
                ),
          ),
        );
      }),
    due: () => {
      if (!isStocked) return failing.get(stockKey)?.due ?? asyncScheduler.now();
      let first: number | undefined;
      for (const { due } of failing.values()) first = Math.min(first ?? due, due);
      return first;
    },
    note: (delivered) => pods.note(delivered, isoNow()),
    restock: () => {
      isStocked = false;
    },
  };
}

const statusPrefix = 'status of ';

function statusKeyOf(name: string): string {
  return `${statusPrefix}${keyOf({ kind: 'config', name })}`;
}

function keyOf({ kind, name }: { readonly kind: PublishedKind; readonly name: string }): string {
  return describePublished({ kind, name });
}

function isoNow(): string {
  return new Date(asyncScheduler.now()).toISOString();
}

function troubleOf(reason: string, message: string): PublishTrouble {
  return { kind: 'failed', reason, message };
}

function failedWith(reason: string, message: string) {
  return { ok: false as const, trouble: troubleOf(reason, message) };
}
