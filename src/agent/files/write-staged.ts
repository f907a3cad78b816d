import { closeSync, fchmodSync, fsync, openSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { modeOf, type StagedFile } from './staged-file.ts';
import type { StagingArea } from './staging-area.ts';

/** A staged file whose bytes are in a temporary file. */
export interface WrittenFile {
  /** Its place, relative to the base dir. */
  readonly path: string;
  /** Absolute. */
  readonly tempPath: string;
}

export interface StagedWriting {
  /** A few small files are in the kernel's hands, so that a disk that has no room for them has said so; of others nothing is awaited. */
  readonly begun: Promise<void>;
  /** All files are in the kernel's hands: they outlive this process. */
  readonly held: Promise<void>;
  /** All files are durable. Begins to sync what waits for it. */
  synced(): Promise<readonly WrittenFile[]>;
}

const parallelWrites = 8;
/**
 * Up to so much is handed to the kernel at once, without turns over other threads, which would wait for this thread. Takes a
 * millisecond at most. It is synced when somebody asks for it.
 */
const shortWrite = { files: 4, bytes: 4 * 1024 * 1024 } as const;

const sync = promisify(fsync);

/**
 * Writes staged files to temporary files on the mounts of their places, with their modes, and syncs each.
 *
 * @param later begun only when somebody asks for it: until then the bytes are elsewhere, and outlive this process there
 */
export function writeStaged(
  staging: StagingArea,
  staged: readonly StagedFile[],
  { later = false }: { readonly later?: boolean } = {},
): StagedWriting {
  if (later) {
    let writing: StagedWriting | undefined;
    const there = Promise.resolve();
    return { begun: there, held: there, synced: () => (writing ??= writeLong(staging, staged)).synced() };
  }
  const bytes = staged.reduce((sum, { held }) => sum + held.size, 0);
  const isShort =
    staged.length <= shortWrite.files &&
    bytes <= shortWrite.bytes &&
    staged.every(({ source }) => 'bytes' in source);
  return isShort ? writeShort(staging, staged) : writeLong(staging, staged);
}

function writeShort(staging: StagingArea, staged: readonly StagedFile[]): StagedWriting {
  const writing = Promise.all(staged.map((file) => writeAtOnce(staging, file)));
  const held = writing.then(() => undefined);
  held.catch(() => undefined);
  let synced: Promise<readonly WrittenFile[]> | undefined;
  const begin = async () => {
    const written = await writing;
    await Promise.all(written.map(({ tempPath }) => syncFile(tempPath)));
    return written;
  };
  return { begun: held, held, synced: () => (synced ??= begin()) };
}

function writeLong(staging: StagingArea, staged: readonly StagedFile[]): StagedWriting {
  const synced = writeAll(staging, staged);
  const held = synced.then(() => undefined);
  held.catch(() => undefined);
  return { begun: Promise.resolve(), held, synced: () => synced };
}

async function writeAll(
  staging: StagingArea,
  staged: readonly StagedFile[],
): Promise<readonly WrittenFile[]> {
  const written: WrittenFile[] = [];
  const queue = [...staged];
  const worker = async () => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift())
      written.push({ path: file.path, tempPath: await write(staging, file) });
  };
  await Promise.all(Array.from({ length: Math.min(parallelWrites, staged.length) }, worker));
  return written;
}

async function writeAtOnce(staging: StagingArea, { path, held, source }: StagedFile): Promise<WrittenFile> {
  const mode = modeOf(held.kind);
  const tempPath = await staging.pathFor(path);
  const fd = openSync(tempPath, 'wx', mode);
  try {
    if ('bytes' in source) writeFileSync(fd, source.bytes);
    // The mode at opening is less what the process's umask takes away.
    fchmodSync(fd, mode);
  } finally {
    closeSync(fd);
  }
  return { path, tempPath };
}

async function syncFile(file: string): Promise<void> {
  const fd = openSync(file, 'r');
  try {
    await sync(fd);
  } finally {
    closeSync(fd);
  }
}

async function write(staging: StagingArea, file: StagedFile): Promise<string> {
  const { source } = file;
  const mode = modeOf(file.held.kind);
  const tempPath = 'bytes' in source ? await staging.pathFor(file.path) : source.tempPath;
  const handle = await open(tempPath, 'bytes' in source ? 'wx' : 'r+', mode);
  try {
    if ('bytes' in source) await handle.writeFile(source.bytes);
    await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return tempPath;
}
