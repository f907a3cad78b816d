import { readFile } from 'node:fs/promises';
import type { ApplyManifest } from '../../protocol/wire.ts';
import type { ReadyOperation } from '../runtime/command.ts';
import type { DeleteTarget } from '../runtime/pending-delete.ts';
import { prepareOperations } from '../runtime/prepare-operations.ts';
import { reviveOperations } from '../runtime/revive-operations.ts';
import type { AgentRecord } from '../state/agent-record.ts';
import type { ApplyContext } from './apply-context.ts';
import { planActivation } from './plan-activation.ts';
import { earliestReload } from './reload-pacer.ts';
import type { StagedSet } from './stage-parts.ts';

/** Operations that may be sent: every name they create is free. */
export interface ReadyWork {
  readonly ready: readonly ReadyOperation[];
  /** What the operations stop and the agent deletes afterwards. */
  readonly deferred: readonly DeleteTarget[];
}

/** How an apply reaches the worker. */
export type Course =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'operations'; readonly work: ReadyWork }
  | { readonly kind: 'reload'; readonly reason?: string }
  /** By a reload that is pending already, or that pacing puts off. */
  | {
      readonly kind: 'scheduled';
      /** Milliseconds of the Unix clock. */
      readonly at: number;
      readonly reason?: string;
      /** What may run on the worker until then; absent: nothing. */
      readonly inPlace?: ReadyWork;
      /** Why the in-place operations cannot be run at all. */
      readonly refusal?: string;
    };

/**
 * Whether in-place operations of this manifest would run: a reload is pending, or this one would be put off. They are then held
 * against the worker they were composed for.
 */
export function runsInPlace(
  manifest: ApplyManifest,
  record: AgentRecord,
  reloadAt: number,
  now: number,
): boolean {
  if ((manifest.in_place_ops ?? []).length === 0) return false;
  return record.reloadPending !== undefined || (manifest.mode === 'reload' && reloadAt > now);
}

/** Decides before anything is touched. May take up to about 60 ms per name that has to be freed. */
export async function chooseCourse(
  context: ApplyContext,
  manifest: ApplyManifest,
  set: StagedSet,
  before: AgentRecord,
): Promise<Course> {
  const pending = before.reloadPending;
  if (pending !== undefined)
    return { ...(await inPlaceWork(context, manifest, set)), kind: 'scheduled', ...pending };
  const wish = await wishOf(context, manifest, set);
  if (wish.kind !== 'reload') return wish;
  const now = context.clock.now();
  const at = earliestReload(now, before.lastReloadAt, context.options.reloadIntervalMs);
  if (at <= now) return wish;
  // Operations of an apply that wanted no reload were composed for another worker state than the in-place ones.
  const inPlace = manifest.mode === 'reload' ? await inPlaceWork(context, manifest, set) : {};
  return { ...inPlace, kind: 'scheduled', at, ...(wish.reason !== undefined && { reason: wish.reason }) };
}

async function wishOf(
  context: ApplyContext,
  manifest: ApplyManifest,
  set: StagedSet,
): Promise<Exclude<Course, { kind: 'scheduled' }>> {
  const worker = context.watch.current();
  if (worker === undefined) return { kind: 'reload', reason: 'worker_changed' };
  const activation = await planActivation(manifest, worker.version, contentIn(context, set));
  if (activation.kind !== 'operations') return activation;
  const work = await admit(context, activation);
  return 'taken' in work
    ? { kind: 'reload', reason: `pending_delete: ${work.taken}` }
    : { kind: 'operations', work };
}

async function inPlaceWork(
  context: ApplyContext,
  manifest: ApplyManifest,
  set: StagedSet,
): Promise<{ readonly inPlace?: ReadyWork; readonly refusal?: string }> {
  const operations = manifest.in_place_ops ?? [];
  const worker = context.watch.current();
  if (operations.length === 0) return {};
  if (worker === undefined) return { refusal: 'worker_changed' };
  const preparation = await prepareOperations(operations, worker.version, contentIn(context, set));
  if (!preparation.ok) return { refusal: preparation.reason };
  const work = await admit(context, preparation);
  return 'taken' in work ? { refusal: `pending_delete: ${work.taken}` } : { inPlace: work };
}

async function admit(
  { deletes }: ApplyContext,
  wanted: ReadyWork & { readonly created: readonly DeleteTarget[] },
): Promise<ReadyWork | { readonly taken: string }> {
  const admission = await deletes.admit(wanted.created);
  if (!admission.ok) return { taken: admission.taken };
  return { ready: reviveOperations(wanted.ready, admission.revived), deferred: wanted.deferred };
}

/** Bytes of the same apply, else those that are held. */
function contentIn({ held }: ApplyContext, set: StagedSet): (path: string) => Promise<Buffer | undefined> {
  return async (path) => {
    const staged = set.staged.find((file) => file.path === path);
    if (staged === undefined) return held.content(path);
    return 'bytes' in staged.source ? staged.source.bytes : readFile(staged.source.tempPath);
  };
}
