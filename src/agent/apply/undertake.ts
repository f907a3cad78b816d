import { lstatSync } from 'node:fs';
import path from 'node:path';
import type { ApplyManifest } from '../../protocol/wire.ts';
import type { FilePatch } from '../files/file-patch.ts';
import type { HeldFile } from '../files/held-files.ts';
import type { JournalEntry } from '../files/journal.ts';
import { planJournal } from '../files/plan-journal.ts';
import { requireRoom } from '../files/require-room.ts';
import type { StagedFile } from '../files/staged-file.ts';
import { type StagedWriting, writeStaged } from '../files/write-staged.ts';
import { type AgentRecord, samePlanRef, type Wanted } from '../state/agent-record.ts';
import { type ApplyAnswer, refusal } from './apply-answer.ts';
import type { ApplyContext } from './apply-context.ts';
import { chooseCourse, type Course } from './choose-course.ts';
import { proofAt } from './proof-at.ts';
import { sentBy } from './sent-by.ts';
import type { StagedSet } from './stage-parts.ts';

/** What an apply is about to do, decided and on record. */
export interface Undertaking {
  readonly manifest: ApplyManifest;
  readonly set: StagedSet;
  readonly removed: readonly string[];
  readonly course: Course;
  /** The record before, with its last known good plan brought up to date. */
  readonly before: AgentRecord;
  /** `before` in the phase `applying`: its journal leads back from what the apply puts on disk. */
  readonly under: AgentRecord & { readonly wanted: Wanted };
  /** Journal entries of this apply. */
  readonly fresh: ReadonlyMap<string, JournalEntry>;
  /** The journal that ended when the applied plan became the last known good one; empty where it goes on. */
  readonly ended: ReadonlyMap<string, JournalEntry>;
  readonly writing: StagedWriting;
  /** How all files come about, where that is so little that it is kept on record, and `writing` begins only when it is asked for them. */
  readonly patches: ReadonlyMap<string, FilePatch> | undefined;
  /** HAProxy's configuration before, where it was the agent's, and its bytes, where they are at hand. */
  readonly config: { readonly held: HeldFile; readonly bytes: Buffer | undefined } | undefined;
}

/**
 * Decides and puts it on record; an answer when that cannot be done, with nothing touched.
 */
export async function undertake(
  context: ApplyContext,
  manifest: ApplyManifest,
  set: StagedSet,
): Promise<Undertaking | ApplyAnswer> {
  const { store, held, area, options, log } = context;
  const { baseDir, configFile } = options;
  const known = store.current();
  const before = promote(known, manifest);
  const removed = [...held.all().keys()].filter((file) => !set.files.has(file));
  const written = set.staged.map((file) => file.path);
  let writing: StagedWriting | undefined;
  try {
    for (const file of [...written, ...removed]) refuseFolder(baseDir, file);
    const course = await chooseCourse(context, manifest, set, before);
    const patches = course.kind === 'operations' ? shortPatches(set.staged) : undefined;
    if (patches !== undefined) requireRoom(baseDir, set.staged);
    // Nothing is touched by what lies in the agent's own folder.
    writing = writeStaged(area, set.staged, { later: patches !== undefined });
    const fresh = await planJournal(baseDir, area, held.all(), before.journal, { written, removed });
    await writing.begun;
    const under = announced(before, manifest, set, { course, fresh, removed });
    if (set.staged.length > 0 || removed.length > 0 || course.kind !== 'nothing') store.announce(under);
    const ended = before === known ? new Map<string, JournalEntry>() : known.journal;
    const config = held.all().get(configFile);
    return {
      ...{ manifest, set, removed, course, before, under, fresh, ended, writing, patches },
      config: config && { held: config, bytes: held.inMemory(configFile, config) },
    };
  } catch (error) {
    log.error({ err: error }, 'apply could not be begun');
    await writing?.held.catch(() => undefined);
    await area.clear().catch(() => undefined);
    const reason = error instanceof Error ? error.message : String(error);
    return refusal('write', `the apply could not be begun: ${reason}`);
  }
}

/** More than that is in a file sooner than on record. */
const shortPatchBytes = 64 * 1024;

/** Undefined where one of the files came as a whole, is a key that belongs into no other file, or all are too long. */
function shortPatches(staged: readonly StagedFile[]): ReadonlyMap<string, FilePatch> | undefined {
  const patches = new Map<string, FilePatch>();
  let bytes = 0;
  for (const { path: file, held, source } of staged) {
    if (!('bytes' in source) || source.patch === undefined || held.kind === 'cert') return undefined;
    bytes += source.patch.bytes.length;
    patches.set(file, source.patch);
  }
  return bytes > shortPatchBytes ? undefined : patches;
}

/** What lies in a file's way is told before anything happens. */
function refuseFolder(baseDir: string, file: string): void {
  if (lstatSync(path.join(baseDir, file), { throwIfNoEntry: false })?.isDirectory() === true)
    throw new Error(`there is a folder in the place of ${JSON.stringify(file)}`);
}

/**
 * The applied plan passed the controller's gate: it is the last known good one now. Not while a reload is pending: then HAProxy
 * has not loaded it in this pod, and the way back is still needed.
 */
function promote(record: AgentRecord, manifest: ApplyManifest): AgentRecord {
  const validated = { id: manifest.validated_plan_id ?? '', proof: manifest.validated_plan_proof ?? '' };
  if (record.reloadPending !== undefined || !samePlanRef(validated, record.applied)) return record;
  return { ...record, lkg: record.applied, journal: new Map() };
}

/** Proofs are reserved with it, for the applied and for the worker's role of its own, so that none is ever given out twice. */
function announced(
  before: AgentRecord,
  manifest: ApplyManifest,
  set: StagedSet,
  { course, fresh, removed }: Pick<Undertaking, 'course' | 'fresh' | 'removed'>,
): Undertaking['under'] {
  const changes = [
    ...set.staged.map((file) => [file.path, file.held] as const),
    ...removed.map((file) => [file, undefined] as const),
  ];
  const untouched = before.reloadPending !== undefined && sentBy(course) === undefined;
  return {
    ...before,
    phase: 'applying',
    proofCounter: before.proofCounter + (course.kind === 'scheduled' ? 2 : 1),
    journal: fresh.size === 0 ? before.journal : new Map([...before.journal, ...fresh]),
    wanted: {
      plan: { id: manifest.plan_id, proof: proofAt(before.proofCounter + 1) },
      token: manifest.token,
      changes: new Map(changes),
      patches: new Map(),
      worker: course.kind !== 'nothing' && !untouched,
    },
  };
}
