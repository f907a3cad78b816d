import { open, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { JournalEntry } from './journal.ts';
import { copyContent, keepFile, moveFile } from './move-file.ts';
import { modeOf, type StagedFile } from './staged-file.ts';
import type { StagingArea } from './staging-area.ts';
import { syncFolders } from './sync-folders.ts';

export interface FileChange {
  readonly baseDir: string;
  readonly staging: StagingArea;
  readonly staged: readonly StagedFile[];
  /** Owned paths that are no longer wanted. */
  readonly removed: readonly string[];
  /** The path that goes last: HAProxy's configuration, which names the others. */
  readonly last: string;
  /** What it was before, where that is at hand. */
  readonly lastBytes?: Buffer | undefined;
  /** Where the former content of paths is kept beyond this change; of all others it is kept until `keep`. */
  readonly journal?: ReadonlyMap<string, JournalEntry>;
}

export interface CommittedFiles {
  /** Puts every path back to what it was before. */
  undo(): Promise<void>;
  /** Forgets what would be needed to undo, but for the journal. */
  keep(): Promise<void>;
}

/** A path before its change: another name of its old content, or nothing if it did not exist. */
interface Former {
  readonly path: string;
  readonly backup: string | undefined;
  readonly journaled: boolean;
}

const parallelWrites = 8;

/**
 * Puts staged files in place so that each path holds its old or its new content at any moment, also through a crash of the
 * machine: bytes to a temporary file, fsync, hard link of the old content, rename; the configuration last; then the
 * removals; then fsync of the folders. A failure undoes what was done and throws.
 */
export async function commitFiles(change: FileChange): Promise<CommittedFiles> {
  const former: Former[] = [];
  const undo = () => restore(change, former);
  const keep = async () => {
    const backups = former.flatMap(({ backup, journaled }) =>
      backup === undefined || journaled ? [] : [backup],
    );
    await Promise.all(backups.map((backup) => rm(backup, { force: true })));
  };
  try {
    const [ready, isLastKept] = await Promise.all([writeAll(change), copyLast(change)]);
    const keepOf = (file: string) =>
      file === change.last && isLastKept !== undefined
        ? journaled(change, file, isLastKept)
        : remember(change, file);
    ready.sort((a, b) => Number(a.path === change.last) - Number(b.path === change.last));
    for (const file of ready) {
      former.push(await keepOf(file.path));
      await moveFile(file.tempPath, path.join(change.baseDir, file.path), change.staging.onCrossing);
    }
    for (const file of change.removed) {
      former.push(await keepOf(file));
      await rm(path.join(change.baseDir, file), { force: true });
    }
    await syncFolders(
      change.baseDir,
      former.map((entry) => entry.path),
    );
  } catch (error) {
    await undo();
    throw error;
  }
  return { undo, keep };
}

async function writeAll(change: FileChange): Promise<{ path: string; tempPath: string }[]> {
  const ready: { path: string; tempPath: string }[] = [];
  const queue = [...change.staged];
  const worker = async () => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift())
      ready.push({ path: file.path, tempPath: await write(change, file) });
  };
  await Promise.all(Array.from({ length: parallelWrites }, worker));
  return ready;
}

async function write(change: FileChange, file: StagedFile): Promise<string> {
  const mode = modeOf(file.held.kind);
  if ('tempPath' in file.source) {
    const handle = await open(file.source.tempPath, 'r+');
    try {
      await handle.chmod(mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    return file.source.tempPath;
  }
  const tempPath = await change.staging.pathFor(file.path);
  const handle = await open(tempPath, 'wx', mode);
  try {
    await handle.writeFile(file.source.bytes);
    await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return tempPath;
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
  journal,
}: FileChange): Promise<boolean | undefined> {
  const entry = journal?.get(last);
  const changes = removed.includes(last) || staged.some((file) => file.path === last);
  if (!changes || entry === undefined || entry.kind === 'created') return undefined;
  const link = path.join(baseDir, entry.link);
  if (lastBytes !== undefined) {
    await writeFile(link, lastBytes, { flag: 'wx', mode: modeOf('config') });
    return true;
  }
  return copyContent(path.join(baseDir, last), link);
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
async function restore({ baseDir, staging }: FileChange, former: readonly Former[]): Promise<void> {
  for (const { path: file, backup } of [...former].reverse()) {
    const target = path.join(baseDir, file);
    if (backup === undefined) await rm(target, { force: true });
    else await moveFile(backup, target, staging.onCrossing);
  }
  await syncFolders(
    baseDir,
    former.map((entry) => entry.path),
  );
}
