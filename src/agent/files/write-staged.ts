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

const parallelWrites = 8;
/**
 * Up to so much is handed to the kernel at once, without turns over other threads: they wait for this thread, which has HAProxy to talk
 * to meanwhile, so that the sync, the longest part, would begin a millisecond later. Takes half a millisecond at most.
 */
const shortWrite = { files: 4, bytes: 4 * 1024 * 1024 } as const;

const sync = promisify(fsync);

/** Writes staged files to temporary files on the mounts of their places, with their modes, and syncs each. */
export async function writeStaged(
  staging: StagingArea,
  staged: readonly StagedFile[],
): Promise<readonly WrittenFile[]> {
  const written: WrittenFile[] = [];
  const queue = [...staged];
  const bytes = staged.reduce((sum, { held }) => sum + held.size, 0);
  const isShort = staged.length <= shortWrite.files && bytes <= shortWrite.bytes;
  const worker = async () => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift())
      written.push({ path: file.path, tempPath: await write(staging, file, isShort) });
  };
  await Promise.all(Array.from({ length: Math.min(parallelWrites, staged.length) }, worker));
  return written;
}

async function write(staging: StagingArea, file: StagedFile, isShort: boolean): Promise<string> {
  const { source } = file;
  const mode = modeOf(file.held.kind);
  if ('bytes' in source && isShort) {
    const tempPath = await staging.pathFor(file.path);
    const fd = openSync(tempPath, 'wx', mode);
    try {
      writeFileSync(fd, source.bytes);
      fchmodSync(fd, mode);
      await sync(fd);
    } finally {
      closeSync(fd);
    }
    return tempPath;
  }
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
