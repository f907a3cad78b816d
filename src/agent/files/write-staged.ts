import { closeSync, fchmodSync, fsync, openSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { modeOf, type StagedFile } from './staged-file.ts';
import type { StagingArea } from './staging-area.ts';

/** A staged file whose bytes are in a temporary file and durable there. */
export interface WrittenFile {
  /** Its place, relative to the base dir. */
  readonly path: string;
  /** Absolute. */
  readonly tempPath: string;
}

export interface StagedWriting {
  /** A few small files are in the kernel's hands, so that a disk that has no room for them has said so; of others nothing is awaited. */
  readonly begun: Promise<void>;
  readonly written: Promise<readonly WrittenFile[]>;
}

const parallelWrites = 8;
/**
 * Up to so much is handed to the kernel at once, without turns over other threads: they wait for this thread, which has HAProxy to talk
 * to meanwhile, so that the sync, the longest part, would begin a millisecond later. Takes half a millisecond at most.
 */
const shortWrite = { files: 4, bytes: 4 * 1024 * 1024 } as const;

const sync = promisify(fsync);

/** Writes staged files to temporary files on the mounts of their places, with their modes, and syncs each. */
export function writeStaged(staging: StagingArea, staged: readonly StagedFile[]): StagedWriting {
  const bytes = staged.reduce((sum, { held }) => sum + held.size, 0);
  const isShort = staged.length <= shortWrite.files && bytes <= shortWrite.bytes;
  const begun: Promise<undefined>[] = [];
  const begin = isShort ? (file: StagedFile) => writeShort(staging, file, begun) : undefined;
  // So few that every one has a worker, and is begun when the first of them waits.
  const written = writeAll(staging, staged, begin);
  const allBegun = Promise.all(begun).then(() => undefined);
  // Told by `written` as well, to whoever asks for that alone.
  allBegun.catch(() => undefined);
  return { written, begun: allBegun };
}

async function writeAll(
  staging: StagingArea,
  staged: readonly StagedFile[],
  begin?: (file: StagedFile) => Promise<string>,
): Promise<readonly WrittenFile[]> {
  const written: WrittenFile[] = [];
  const queue = [...staged];
  const worker = async () => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      const isBegun = begin !== undefined && 'bytes' in file.source;
      written.push({ path: file.path, tempPath: await (isBegun ? begin(file) : write(staging, file)) });
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallelWrites, staged.length) }, worker));
  return written;
}

function writeShort(staging: StagingArea, file: StagedFile, begun: Promise<undefined>[]): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  promise.catch(() => undefined);
  begun.push(promise);
  const { source, held } = file;
  const mode = modeOf(held.kind);
  const run = async () => {
    const tempPath = await staging.pathFor(file.path);
    const fd = openSync(tempPath, 'wx', mode);
    try {
      if ('bytes' in source) writeFileSync(fd, source.bytes);
      fchmodSync(fd, mode);
      resolve(undefined);
      await sync(fd);
    } finally {
      closeSync(fd);
    }
    return tempPath;
  };
  return run().catch((error: unknown) => {
    reject(error instanceof Error ? error : new Error(String(error)));
    throw error;
  });
}

async function write(staging: StagingArea, file: StagedFile): Promise<string> {
  const { source } = file;
  const mode = modeOf(file.held.kind);
  const tempPath = 'bytes' in source ? await staging.pathFor(file.path) : source.tempPath;
  const handle = await open(tempPath, 'bytes' in source ? 'wx' : 'r+', mode);
  try {
    if ('bytes' in source) await handle.writeFile(source.bytes);
    // The mode at opening is less what the process's umask takes away.
    await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return tempPath;
}
