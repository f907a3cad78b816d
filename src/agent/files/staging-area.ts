import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';

/** Name of the agent's folder for files on their way: one in the base dir and one in every other mount below it. */
const folderName = '.haptic-tmp';

/** Hands out names for files that will be renamed into place: on the same mount as their target, or the rename would fail. */
export interface StagingArea {
  /** A fresh path on the mount of `target` (relative to the base dir); makes the target's folder as well. */
  pathFor(target: string): Promise<string>;
  /** Empties the folders, also of what an earlier process left behind. */
  clear(): Promise<void>;
}

export function createStagingArea(baseDir: string): StagingArea {
  const folders = new Map<string, string>();
  // Of this process alone: what an earlier one left behind and could not be removed is never met.
  const prefix = randomBytes(4).toString('hex');
  let counter = 0;

  const folderFor = async (targetFolder: string): Promise<string> => {
    const known = folders.get(targetFolder);
    if (known !== undefined) return known;
    await mkdir(path.join(baseDir, targetFolder), { recursive: true, mode: 0o755 });
    const root = await mountRoot(baseDir, targetFolder);
    const folder = path.join(baseDir, root, folderName);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    folders.set(targetFolder, folder);
    return folder;
  };

  return {
    pathFor: async (target) => {
      const folder = await folderFor(path.dirname(target));
      return path.join(folder, `${prefix}-${String(counter++)}`);
    },
    clear: async () => {
      folders.clear();
      const entries = await readdir(baseDir, { withFileTypes: true }).catch(() => []);
      const roots = ['.', ...entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)];
      for (const root of roots)
        await rm(path.join(baseDir, root, folderName), { recursive: true, force: true });
    },
  };
}

/** The topmost folder, from the base dir down, that is on the same device as the target's. */
async function mountRoot(baseDir: string, targetFolder: string): Promise<string> {
  const device = (await stat(path.join(baseDir, targetFolder))).dev;
  const parts = targetFolder === '.' ? [] : targetFolder.split('/');
  for (let depth = 0; depth <= parts.length; depth++) {
    const folder = path.join('.', ...parts.slice(0, depth));
    if ((await stat(path.join(baseDir, folder))).dev === device) return folder;
  }
  return targetFolder;
}
