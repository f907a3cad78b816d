import { errorCode } from '../../lib/error-code.ts';
import { constants, linkSync, renameSync } from 'node:fs';
import { copyFile, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/** Told when a file had to be copied over a boundary that nobody knew of. */
export type OnCrossing = (target: string) => void;

/**
 * Renames a finished file into place. Over a boundary that a rename does not cross, it is copied beside the target first, made
 * durable and renamed there, so that the target is never half a file. The rename itself is synchronous: it takes less than the way to
 * another thread and back.
 */
export async function moveFile(from: string, to: string, onCrossing: OnCrossing): Promise<void> {
  try {
    renameSync(from, to);
  } catch (error) {
    if (errorCode(error) !== 'EXDEV') throw error;
    onCrossing(to);
    const beside = path.join(path.dirname(to), `.haptic-${path.basename(from)}`);
    await copyDurably(from, beside);
    await rename(beside, to);
    await rm(from, { force: true });
  }
}

/**
 * Keeps a file's content under a second name, which must not exist: as a hard link where one can be made, else as a copy (another
 * mount, a file of another user, a file system without links). Symbolic links are kept as such, not followed. Gives false when
 * there is no such file.
 */
export async function keepFile(from: string, to: string, onCrossing: OnCrossing): Promise<boolean> {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return false;
    if (code === 'EXDEV') onCrossing(from);
    else if (code !== 'EPERM' && code !== 'EMLINK' && code !== 'ENOTSUP') throw error;
    const part = `${to}-part`;
    await copyDurably(from, part);
    await rename(part, to);
    return true;
  }
}

/** Copies a file's content to a name that must not exist. Gives false when there is no such file. */
export async function copyContent(from: string, to: string): Promise<boolean> {
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

async function copyDurably(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  const handle = await open(to, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
