import {
  EMPTY,
  type Observable,
  asyncScheduler,
  concat,
  concatMap,
  defer,
  from,
  map,
  merge,
  of,
  switchMap,
  take,
  Subject,
} from 'rxjs';
import type { TemplateConfig } from '../api/template-config.ts';
import type { KubeObject } from '../api/kube-object.ts';
import type { Collection } from '../collections/types.ts';
import { disguise } from '../lib/disguise.ts';
import { redact } from '../lib/redact.ts';
import type { DeliveryReport } from '../protocol/delivery-report.ts';
import type { HttpContent } from '../protocol/http-content.ts';
import type { Leadership } from '../protocol/leadership.ts';
import type { HaproxyPod } from '../protocol/pod.ts';
import {
  type RecordedValue,
  type RecordedVerdict,
  type RecordingEntry,
  type StoreEdit,
  recordingFormat,
} from './recording.ts';
import type { RenderOutcome } from '../protocol/render-outcome.ts';

/** A configuration at work, as far as it is recorded. */
export interface RecordedWorld {
  readonly config: TemplateConfig;
  readonly stores: ReadonlyMap<string, Collection<KubeObject>>;
  /** What `http` reads in templates. */
  readonly contents?: Collection<HttpContent>;
}

/** None of them errors or completes. */
export interface RecordInputsDeps {
  readonly version: string;
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly world$: Observable<RecordedWorld>;
  readonly edit$: Observable<StoreEdit>;
  readonly fleet$: Observable<readonly HaproxyPod[]>;
  readonly leadership$: Observable<Leadership>;
  /** Of all checks, trials included. */
  readonly verdict$: Observable<RecordedVerdict>;
  /** How the latch stands when it is asked. */
  readonly isOptimistic: () => boolean;
  readonly delivery$: Observable<DeliveryReport>;
  readonly render$: Observable<RenderOutcome>;
  /** Emits once when the event loop has had its turn. */
  readonly pause$: Observable<unknown>;
}

/** Objects of a snapshot that are written between two turns of the event loop. */
const portion = 50;

/**
 * Everything that comes into the pipeline from now on, after what it holds now, as lines of a recording: enough to run it again. Secrets are
 * taken out on the way. Cold: each subscriber has a recording of its own.
 *
 * Edits that come while what is there is written follow it in their order; an object may come twice then. Loss policy: none; never
 * errors, never completes.
 */
export function recordInputs(deps: RecordInputsDeps): Observable<RecordingEntry> {
  return defer(() => {
    const begun = asyncScheduler.now();
    const hide = disguise();
    const shown = ({ config }: RecordedWorld): RecordedValue => ({
      kind: 'config',
      config: redact(config) as TemplateConfig,
    });
    const begin: RecordedValue = {
      kind: 'begin',
      format: recordingFormat,
      version: deps.version,
      startedAt: new Date(begun).toISOString(),
      capabilities: deps.capabilities,
    };
    const opened$ = new Subject<void>();

    const whole = (world: RecordedWorld): Observable<RecordedValue> =>
      concat(of(shown(world)), inPortions(world, hide, deps.pause$), of<RecordedValue>({ kind: 'synced' }));
    const world$ = deps.world$.pipe(
      // A source, not work: the contents of a former configuration are of no interest.
      switchMap((world, index) =>
        merge(
          concat(
            whole(world),
            defer(() => {
              if (index === 0) opened$.next();
              return from<RecordedValue[]>([]);
            }),
          ),
          world.contents === undefined ? from<RecordedValue[]>([]) : contentsOf(world.contents, hide),
        ),
      ),
    );
    // What is fed back comes after the first configuration, lest a verdict be about nothing.
    const live$ = merge(
      deps.fleet$.pipe(map((pods): RecordedValue => ({ kind: 'fleet', pods }))),
      deps.leadership$.pipe(map((leadership): RecordedValue => ({ kind: 'leadership', leadership }))),
      deps.edit$.pipe(map((edit): RecordedValue => ({ kind: 'edit', edit: hidden(edit, hide) }))),
      opened$.pipe(
        take(1),
        // As they stand by then, and what comes.
        switchMap(() =>
          merge(
            deps.isOptimistic() ? of<RecordedValue>({ kind: 'optimistic' }) : EMPTY,
            deps.render$.pipe(map(renderShape)),
            deps.verdict$.pipe(
              map((verdict): RecordedValue => ({ kind: 'verdict', verdict: verdictShape(verdict) })),
            ),
            deps.delivery$.pipe(map((report): RecordedValue => ({ kind: 'delivery', report }))),
          ),
        ),
      ),
    );
    return concat(of(begin), merge(live$, world$)).pipe(
      map((value): RecordingEntry => ({ at: asyncScheduler.now() - begun, ...value })),
    );
  });
}

function inPortions(
  { stores, contents }: RecordedWorld,
  hide: (object: unknown) => unknown,
  pause$: Observable<unknown>,
): Observable<RecordedValue> {
  const edits = [...stores].flatMap(([resource, store]) => {
    const keys = store.keys();
    return Array.from({ length: Math.ceil(keys.length / portion) }, (_, n) => ({
      store,
      resource,
      keys: keys.slice(n * portion, (n + 1) * portion),
    }));
  });
  const object$ = from(edits).pipe(
    concatMap(({ store, resource, keys }) =>
      pause$.pipe(
        concatMap(() =>
          from(
            keys.flatMap((key): RecordedValue[] => {
              const object = store.peek(key);
              // Gone meanwhile: its deletion was told before, or never has to be.
              if (object === undefined) return [];
              return [{ kind: 'edit', edit: hidden({ resource, op: 'set', key, object }, hide) }];
            }),
          ),
        ),
      ),
    ),
  );
  const content$ = from(contents?.keys() ?? []).pipe(
    map((key): RecordedValue => ({ kind: 'http', key, content: hide(contents?.peek(key)) as HttpContent })),
  );
  return concat(content$, object$);
}

function contentsOf(
  contents: Collection<HttpContent>,
  hide: (object: unknown) => unknown,
): Observable<RecordedValue> {
  return contents.deltas$.pipe(
    concatMap((deltas) => from(deltas)),
    map(({ key, after }): RecordedValue => ({
      kind: 'http',
      key,
      content: hide(after) as HttpContent | undefined,
    })),
  );
}

function hidden(edit: StoreEdit, hide: (object: unknown) => unknown): StoreEdit {
  switch (edit.op) {
    case 'set':
      return { ...edit, object: hide(edit.object) as KubeObject };
    case 'delete':
      return edit;
    case 'replace':
      return {
        ...edit,
        objects: edit.objects.map(([key, object]) => [key, hide(object) as KubeObject] as const),
      };
  }
}

function renderShape(outcome: RenderOutcome): RecordedValue {
  if (outcome.kind === 'rejected') return { kind: 'rejected', message: outcome.message };
  const { plan, problems } = outcome.bundle;
  return { kind: 'render', planId: plan.id, problems: problems.length, tookMs: outcome.tookMs };
}

/** The paths and words of HAProxy's whole output are of no use to the pipeline. */
function verdictShape({ kind, planId, findings }: RecordedVerdict): RecordedVerdict {
  return {
    kind,
    planId,
    ...(findings !== undefined && {
      findings: findings.map(({ message, owner, usedBy, sharedBy, validator }) => ({
        message,
        ...(owner && { owner }),
        ...(usedBy && { usedBy }),
        ...(sharedBy && { sharedBy }),
        ...(validator !== undefined && { validator }),
      })),
    }),
  };
}
