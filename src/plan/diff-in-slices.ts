import { limits } from '../protocol/limits.ts';
import type { Operation } from '../protocol/operation.ts';
import type { Plan } from '../protocol/plan.ts';
import type { Slices } from '../lib/slices.ts';
import type { Baseline, Decision } from './baseline.ts';
import { diffBackends } from './diff-backends.ts';
import { loadNeededFiles } from './diff-certificates.ts';
import type { DiffContext } from './diff-context.ts';
import { diffCrtLists } from './diff-crt-lists.ts';
import { diffFiles, fileChanges } from './diff-files.ts';
import { diffMaps } from './diff-maps.ts';
import { diffProfiles } from './diff-profiles.ts';
import { diffSections } from './diff-sections.ts';
import { createDraft, type Draft } from './draft.ts';
import { createFileNeeds } from './file-needs.ts';
import { inPlaceChanges } from './in-place.ts';
import { loadedFiles } from './loaded-files.ts';
import { valuesOf } from '../lib/ordered-map.ts';

/**
 * The smallest safe change that brings a pod from `base` to `next`. Pure; time is proportional to what differs where the
 * plans share structure. Any change that HAProxy cannot make at runtime makes it a reload, with every reason named; anything
 * that is not known makes it a reload too.
 *
 * Rules R0–R8 of the agent protocol, in the words of {@link Operation}.
 */
export function* diffInSlices(next: Plan, base: Baseline): Slices<Decision> {
  const { applied } = base;
  if (applied === undefined)
    return {
      verdict: 'reload',
      mode: 'reload',
      batches: [],
      inPlace: [],
      reasons: ['no baseline: what the pod holds is not known'],
      notes: [],
      changedFiles: [...valuesOf(next.files)].map((file) => file.path),
      removedFiles: [],
    };
  const draft = createDraft();
  const worker = base.workerOps ?? base.running ?? applied;
  if (base.reloadPending) draft.reload('a reload of the pod is pending');
  const loaded = loadedFiles(base.inventory);
  const profiles = base.loadedProfiles ?? worker.profiles;
  const facts = { next, worker, profiles, capabilities: base.capabilities, loaded };
  const needs = createFileNeeds(next, loaded, true, base.capabilities.version);
  const { isStructural } = yield* compare({ ...facts, needs, draft });
  checkLimits(draft, base);
  const files = fileChanges(applied, next);
  yield;
  if (draft.reasonCount() === 0) return decide(draft, files);
  const changes = yield* inPlaceChanges({ ...facts, isStructural });
  return {
    verdict: 'reload',
    mode: 'reload',
    batches: [],
    inPlace: changes?.operations ?? [],
    ...(changes === undefined ? {} : { workerPlan: changes.workerPlan }),
    reasons: draft.reasons(),
    notes: draft.notes(),
    ...files,
  };
}

/** Whether the configuration around backends changed, besides. */
function* compare(context: DiffContext): Slices<{ readonly isStructural: boolean }> {
  const { draft } = context;
  yield* diffBackends(context);
  const reasons = draft.reasonCount();
  diffProfiles(context);
  yield;
  const configExplained = yield* diffSections(context);
  const isStructural = draft.reasonCount() > reasons;
  yield;
  yield* diffMaps(context);
  yield* diffCrtLists(context);
  diffFiles(context, configExplained);
  yield;
  loadNeededFiles(context);
  yield;
  return { isStructural };
}

/** Rule R8 and the limits of what an agent takes, on the operations as a whole. */
function checkLimits(draft: Draft, base: Baseline): void {
  const counts = draft.counts();
  for (const kind of counts.keys())
    if (!base.capabilities.operations.has(kind)) draft.reload(`the agent does not execute ${kind}`);
  const most = limits.operationBatches * limits.operationsPerBatch;
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (total > most) draft.reload(`${total} runtime operations are more than the ${most} of one apply`);
  const servers = counts.get('server_del') ?? 0;
  const backends = counts.get('backend_del') ?? 0;
  const deletes = [
    ['servers', servers, base.pendingServerDeletes.length, limits.pendingServerDeletes],
    ['backends', backends, base.pendingBackendDeletes.length, limits.pendingBackendDeletes],
  ] as const;
  for (const [what, added, pending, limit] of deletes)
    if (added > 0 && added + pending > limit)
      draft.reload(`${added + pending} ${what} to delete at once are more than ${limit}`);
}

function decide(draft: Draft, files: Pick<Decision, 'changedFiles' | 'removedFiles'>): Decision {
  const operations = draft.operations();
  const rest = { mode: 'auto', inPlace: [], reasons: [], notes: draft.notes(), ...files } as const;
  if (operations.length > 0) return { verdict: 'runtime', batches: inBatches(operations), ...rest };
  const isEmpty = files.changedFiles.length === 0 && files.removedFiles.length === 0;
  return { verdict: isEmpty ? 'noop' : 'file_only', batches: [], ...rest };
}

/** Batches run one after the other, so a cut anywhere keeps the order. */
function inBatches(operations: readonly Operation[]): readonly (readonly Operation[])[] {
  const batches: Operation[][] = [];
  for (let at = 0; at < operations.length; at += limits.operationsPerBatch)
    batches.push(operations.slice(at, at + limits.operationsPerBatch));
  return batches;
}
