import { rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { JournalEntry } from './journal.ts';
import { copyContent, keepFile, moveFile } from './move-file.ts';
import { modeOf, type StagedFile } from './staged-file.ts';
import type { StagingArea } from './staging-area.ts';
import { syncFolders } from './sync-folders.ts';
import { type WrittenFile, writeStaged } from './write-staged.ts';

export interface FileChange {
  readonly baseDir: string;
  readonly staging: StagingArea;
  readonly staged: readonly StagedFile[];
  /** Where they are written already. */
  readonly written?: Promise<readonly WrittenFile[]>;
  /** Owned paths that are no longer wanted. */
  readonly removed: readonly string[];
  /** The path that goes last: HAProxy's configuration, which names the others. */
  readonly last: string;
  /** What it was before, where that is at hand. */
  readonly lastBytes?: Buffer | undefined;
  /** The journal has what it was before already. */
  readonly isLastKept?: boolean;
  /** Where the former content of paths is kept beyond this change; of all others it is kept until `keep`. */
  readonly journal?: ReadonlyMap<string, JournalEntry>;
  readonly sync?: typeof syncFolders;
}

export interface CommittedFiles {
  /** Puts every path back to what it was before. */
  undo(): Promise<void>;
  /**
   * Makes the last renames durable and forgets what would be needed to undo, but for the journal. Nobody has to wait for it: until then a
   * crash of the machine leaves each path its old or its new content.
   */
  keep(): Promise<void>;
}

/** A path before its change: another name of its old content, or nothing if it did not exist. */
interface Former {
  readonly path: string;
  readonly backup: string | undefined;
  readonly journaled: boolean;
}

/**
 * Puts staged files in place so that each path holds its old or its new content at any moment, also through a crash of the
 * machine: bytes to a temporary file, fsync, hard link of the old content, rename; the configuration last; then the
 * removals. The machine never has a configuration that names a file which is not there: folders with new files are synced before it is
 * renamed, its own before anything is removed; all others by `keep`. A failure undoes what was done and throws.
 */
export async function commitFiles(change: FileChange): Promise<CommittedFiles> {
  const former: Former[] = [];
  const undo = () => restore(change, former);
  const unsynced = new Set<string>();
  const sync = async (files: readonly string[]) => {
    await (change.sync ?? syncFolders)(change.baseDir, files);
    const folders = new Set(files.map((file) => path.dirname(file)));
    for (const file of unsynced) if (folders.has(path.dirname(file))) unsynced.delete(file);
  };
  const keep = async () => {
    await sync([...unsynced]);
    const backups = former.flatMap(({ backup, journaled }) =>
      backup === undefined || journaled ? [] : [backup],
    );
    await Promise.all(backups.map((backup) => rm(backup, { force: true })));
  };
  try {
    const [ready, isLastKept] = await Promise.all([
      change.written ?? writeStaged(change.staging, change.staged).synced(),
      copyLast(change),
    ]);
    const keepOf = (file: string) =>
      file === change.last && isLastKept !== undefined
        ? journaled(change, file, isLastKept)
        : remember(change, file);
    const ordered = [...ready].sort(
      (a, b) => Number(a.path === change.last) - Number(b.path === change.last),
    );
    const created: string[] = [];
    for (const file of ordered) {
      if (file.path === change.last && created.length > 0) await sync(created);
      const before = await keepOf(file.path);
      former.push(before);
      unsynced.add(file.path);
      if (before.backup === undefined) created.push(file.path);
      await moveFile(file.tempPath, path.join(change.baseDir, file.path), change.staging.onCrossing);
    }
    if (change.removed.length > 0) await sync([...unsynced]);
    for (const file of change.removed) {
      former.push(await keepOf(file));
      unsynced.add(file);
      await rm(path.join(change.baseDir, file), { force: true });
    }
  } catch (error) {
    await undo();
    throw error;
  }
  return { undo, keep };
}

/**
 * The journal's entry of the configuration is a copy: a starting container copies its image's configuration over the one in its place, and
 * so into every hard link of it. Of what the agent holds, since that may just have happened. It is not synced: what has to outlive the machine is the
 * set that HAProxy starts on. Undefined when the configuration does not change for the first time; false when there was none.
 */
async function copyLast({
  baseDir,
  staged,
  removed,
  last,
  lastBytes,
  isLastKept,
  journal,
  staging,
}: FileChange): Promise<boolean | undefined> {
  const entry = journal?.get(last);
  const changes = removed.includes(last) || staged.some((file) => file.path === last);
  if (!changes || entry === undefined || entry.kind === 'created') return undefined;
  if (isLastKept === true) return true;
  // Never half a file under the name that the record knows.
  const copy = await staging.pathFor(last);
  if (lastBytes !== undefined) await writeFile(copy, lastBytes, { flag: 'wx', mode: modeOf('config') });
  else if (!(await copyContent(path.join(baseDir, last), copy))) return false;
  await rename(copy, path.join(baseDir, entry.link));
  return true;
}

function journaled({ baseDir, journal }: FileChange, file: string, isKept: boolean): Former {
  const entry = journal?.get(file);
  const link = entry === undefined || entry.kind === 'created' ? undefined : entry.link;
  const backup = isKept && link !== undefined ? path.join(baseDir, link) : undefined;
  return { path: file, backup, journaled: true };
}

async function remember(change: FileChange, file: string): Promise<Former> {
  const entry = change.journal?.get(file);
  const link = entry === undefined || entry.kind === 'created' ? undefined : entry.link;
  const backup = link === undefined ? await change.staging.pathFor(file) : path.join(change.baseDir, link);
  const kept = await keepFile(path.join(change.baseDir, file), backup, change.staging.onCrossing);
  return { path: file, backup: kept ? backup : undefined, journaled: link !== undefined };
}

/** Newest change first, so that the configuration is back before the files it names. */
async function restore({ baseDir, staging, last }: FileChange, former: readonly Former[]): Promise<void> {
  for (const { path: file, backup } of [...former].reverse()) {
    const target = path.join(baseDir, file);
    if (backup === undefined) await rm(target, { force: true });
    else if (file === last) await restoreLast(backup, target, staging);
    else await moveFile(backup, target, staging.onCrossing);
  }
  await syncFolders(
    baseDir,
    former.map((entry) => entry.path),
  );
}

/** As a file of its own: a container that copies its image's configuration over it must not write into what is kept under another name. */
async function restoreLast(backup: string, target: string, staging: StagingArea): Promise<void> {
  if ((await stat(backup)).nlink === 1) return moveFile(backup, target, staging.onCrossing);
  const copy = `${backup}-back`;
  await copyContent(backup, copy);
  await moveFile(copy, target, staging.onCrossing);
  await rm(backup, { force: true });
}
