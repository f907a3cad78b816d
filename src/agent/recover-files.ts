import { statSync } from 'node:fs';
import { keepPromised } from './files/keep-promised.ts';
import path from 'node:path';
import { putBack } from './apply/abort-apply.ts';
import type { ApplyContext } from './apply/apply-context.ts';
import { settleRecord } from './apply/settle-record.ts';
import { openFilePool } from './files/file-pool.ts';
import { isReached } from './files/is-reached.ts';
import { type PathTarget, reachFiles } from './files/reach-files.ts';
import { writePatched } from './files/write-patched.ts';
import {
  type AgentRecord,
  noPlan,
  samePlanRef,
  servesGood,
  type Wanted,
  withoutBaseline,
  withoutJournal,
} from './state/agent-record.ts';

const recovery = { at: 0, reason: 'recovery' } as const;

/**
 * An agent before this one ended amid an apply: the files become one whole set, the wanted or the former one, before HAProxy is
 * looked for. What the worker needs then is left on record as a pending reload that is due.
 */
export async function recoverFiles(context: ApplyContext): Promise<void> {
  const { store, held, log } = context;
  const record = store.current();
  if (record.phase === 'aborting') {
    const touched = !samePlanRef(record.workerOps, record.running) || !servesGood(record);
    log.warn('the agent ended while it put files back: going on with it');
    const restored = await putBack(context, record, touched);
    await settleRecord(context, { ...restored, reloadPending: touched ? recovery : undefined });
  } else if (record.phase === 'applying' || record.phase === 'placing') {
    const next = await settleApplying(context, record);
    log.warn({ plan: record.wanted?.plan.id, applied: next.applied.id }, 'the agent ended amid an apply');
    held.replace(next.files, new Map());
    await settleRecord(context, { ...next, files: held.all() });
  }
}

async function settleApplying(context: ApplyContext, record: AgentRecord): Promise<AgentRecord> {
  const { wanted } = record;
  if (wanted === undefined) return { ...withoutBaseline(record), reloadPending: recovery };
  const where = await settleChanges(context, record, wanted);
  if (where === 'torn') {
    // Nobody accepted such a mixture: the worker stays what it is until the controller sends a whole set.
    context.log.error('the files are neither the former nor the wanted ones');
    await context.held.verify();
    const nothing = withoutJournal(withoutBaseline(record));
    return { ...nothing, files: context.held.all(), reloadPending: undefined };
  }
  // The worker has what was answered, and what it has else nobody knows.
  const strange = wanted.worker || (record.phase === 'placing' && where === 'old');
  const reloadPending = strange ? recovery : record.reloadPending;
  if (where === 'old')
    return { ...record, ...(strange && unknownWorker), journal: diverged(record), reloadPending };
  const served = record.reloadPending === undefined ? wanted.plan : undefined;
  const reached: AgentRecord = {
    ...record,
    generation: record.generation + 1,
    appliedToken: wanted.token,
    applied: wanted.plan,
    files: changedFiles(record.files, wanted.changes),
    filesCommittedAt: Math.max(record.filesCommittedAt, changedAt(context.options.baseDir, wanted)),
    reloadPending,
  };
  if (wanted.worker) return { ...reached, ...unknownWorker };
  return served === undefined ? reached : { ...reached, running: served, workerOps: served };
}

const unknownWorker = { running: noPlan, workerOps: noPlan } as const;

/** Forwards where every byte is there, else backwards. With no path changed yet there is nothing to do, unless it was answered. */
async function settleChanges(
  { options, area, log }: ApplyContext,
  record: AgentRecord,
  { changes, patches }: Wanted,
): Promise<'new' | 'old' | 'torn'> {
  const { baseDir, configFile } = options;
  const wanted = new Map<string, PathTarget>();
  const former = new Map<string, PathTarget>();
  for (const [file, content] of changes) {
    wanted.set(file, content === undefined ? { kind: 'nothing' } : { kind: 'content', held: content });
    former.set(file, formerTarget(baseDir, record, file));
  }
  let changed = 0;
  for (const [file, target] of wanted) if (await isReached(baseDir, file, target)) changed++;
  if (changed === wanted.size) return 'new';
  if (changed === 0 && record.phase !== 'placing') return 'old';
  const pool = await openFilePool(area);
  const deps = { baseDir, area, pool, last: configFile };
  try {
    await writePatched(deps, changes, patches);
    await keepPromised(deps, record.journal, wanted);
    if ((await reachFiles(deps, wanted)).length === 0) return 'new';
  } catch (error) {
    log.error({ err: error }, 'the wanted files could not be put in place');
  }
  return (await reachFiles(deps, former)).length === 0 ? 'old' : 'torn';
}

/** A file that was not the agent's before is known by its link alone. */
function formerTarget(baseDir: string, record: AgentRecord, file: string): PathTarget {
  const held = record.files.get(file);
  if (held !== undefined) return { kind: 'content', held };
  const entry = record.journal.get(file);
  if (entry === undefined || entry.kind === 'created') return { kind: 'nothing' };
  return { kind: 'content', keptAt: path.join(baseDir, entry.link) };
}

/** Entries of the apply that came to nothing say what the files are anyway. */
function diverged(record: AgentRecord): AgentRecord['journal'] {
  const journal = [...record.journal].filter(([file, entry]) => {
    if (record.wanted?.changes.has(file) !== true) return true;
    const held = record.files.get(file);
    if (entry.kind === 'created' || entry.held === undefined) return held !== undefined;
    return held?.digest !== entry.held.digest;
  });
  return new Map(journal);
}

function changedFiles(files: AgentRecord['files'], changes: Wanted['changes']): AgentRecord['files'] {
  const next = new Map(files);
  for (const [file, held] of changes) {
    if (held === undefined) next.delete(file);
    else next.set(file, held);
  }
  return next;
}

/** The kernel's clock for files lags behind by up to one tick. */
const fileClockMs = 20;

/** When the last of the wanted files came to its place, microseconds of the Unix clock: a rename changes a file's ctime. */
function changedAt(baseDir: string, { changes }: Wanted): number {
  const times = [...changes.keys()].map(
    (file) => statSync(path.join(baseDir, file), { throwIfNoEntry: false })?.ctimeMs ?? 0,
  );
  return Math.round((Math.max(0, ...times) + fileClockMs) * 1000);
}
