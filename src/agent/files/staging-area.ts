import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { CodedError } from '../../lib/coded-error.ts';
import { errorCode } from '../../lib/error-code.ts';
import { mountPoints } from './mount-points.ts';
import type { OnCrossing } from './move-file.ts';

/** Names of the agent's two folders: one of each in the base dir and in every other mount below it. */
const stagingFolder = '.haptic-tmp';
const journalFolder = '.haptic-lkg';
/** A second copy of HAProxy's configuration, in the journal's folder of the base dir. */
const configCopyName = 'config';

/** Hands out names for files on their way, on the mount of their target: over its boundary nothing can be renamed or linked. */
export interface StagingArea {
  /**
   * A fresh absolute path in `.haptic-tmp` for `target` (relative to the base dir); makes the target's folder as well. Throws CodedError
   * `HAPTIC_ERR_AGENT_PATH` when that folder lies outside of the base dir, behind a symbolic link.
   */
  pathFor(target: string): Promise<string>;
  /** A fresh path in `.haptic-lkg` for `target`, relative to the base dir. Throws as `pathFor` does. */
  linkFor(target: string): Promise<string>;
  /** Where the second copy of the configuration lies: absolute, on the base dir's mount. */
  configCopy(): Promise<string>;
  /** Every file in both folders of all mounts: absolute paths. */
  leftovers(): Promise<string[]>;
  /** Empties `.haptic-tmp`, also of what an earlier process left behind. */
  clear(): Promise<void>;
  /** Removes what is in `.haptic-lkg` and neither among `links` nor the configuration's second copy. */
  clearJournal(links: ReadonlySet<string>): Promise<void>;
  /** To be called when a boundary was met that was not known of: counts it, and keeps to it from now on. */
  readonly onCrossing: OnCrossing;
}

export interface StagingAreaDeps {
  /** Mount points below the base dir, relative to it. */
  readonly findMounts?: (baseDir: string) => Promise<readonly string[]>;
  readonly onUnknownMount?: (folder: string) => void;
}

export function createStagingArea(baseDir: string, deps: StagingAreaDeps = {}): StagingArea {
  const findMounts = deps.findMounts ?? mountPoints;
  /** Target folder → the folder of its mount, both relative to the base dir. */
  const roots = new Map<string, string>();
  const made = new Set<string>();
  // Of this process alone: what an earlier one left behind and could not be removed is never met.
  const prefix = randomBytes(4).toString('hex');
  let counter = 0;
  let mounts: Promise<readonly string[]> | undefined;
  const knownMounts = () => (mounts ??= findMounts(baseDir));
  const freshName = () => `${prefix}-${String(counter++)}`;

  const rootOf = async (targetFolder: string): Promise<string> => {
    const known = roots.get(targetFolder);
    if (known !== undefined) return known;
    const candidates = (await knownMounts()).filter((mount) => isWithin(targetFolder, mount));
    const mount = candidates.reduce((deepest, next) => (next.length > deepest.length ? next : deepest), '.');
    const root = mount === '.' ? await deviceRoot(baseDir, targetFolder) : mount;
    roots.set(targetFolder, root);
    return root;
  };

  const folderFor = async (target: string, name: string): Promise<string> => {
    const targetFolder = path.dirname(target);
    refuseOutside(baseDir, targetFolder);
    if (!roots.has(targetFolder))
      await mkdir(path.join(baseDir, targetFolder), { recursive: true, mode: 0o755 });
    const folder = path.join(await rootOf(targetFolder), name);
    if (!made.has(folder)) {
      await mkdir(path.join(baseDir, folder), { recursive: true, mode: 0o700 });
      made.add(folder);
    }
    return folder;
  };

  /** The agent's folders of this name, wherever one may be: relative to the base dir. */
  const foldersNamed = async (name: string): Promise<string[]> => {
    const entries = await readdir(baseDir, { withFileTypes: true }).catch(() => []);
    const tops = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
    const places = new Set(['.', ...(await knownMounts()), ...roots.values(), ...tops]);
    return [...places].map((place) => path.join(place, name));
  };

  return {
    pathFor: async (target) => path.join(baseDir, await folderFor(target, stagingFolder), freshName()),
    linkFor: async (target) => path.join(await folderFor(target, journalFolder), freshName()),
    configCopy: async () => path.join(baseDir, await folderFor('x', journalFolder), configCopyName),
    leftovers: async () => {
      const folders = [...(await foldersNamed(stagingFolder)), ...(await foldersNamed(journalFolder))];
      const lists = await Promise.all(folders.map((folder) => filesIn(path.join(baseDir, folder))));
      return lists.flat();
    },
    clear: async () => {
      made.clear();
      roots.clear();
      for (const folder of await foldersNamed(stagingFolder))
        await rm(path.join(baseDir, folder), { recursive: true, force: true });
    },
    clearJournal: async (links) => {
      const copy = path.join(journalFolder, configCopyName);
      for (const folder of await foldersNamed(journalFolder)) {
        for (const file of await filesIn(path.join(baseDir, folder))) {
          const relative = path.relative(baseDir, file);
          if (relative !== copy && !links.has(relative)) await rm(file, { force: true });
        }
      }
    },
    onCrossing: (target) => {
      const folder = path.relative(baseDir, path.dirname(target));
      roots.set(folder === '' ? '.' : folder, folder === '' ? '.' : folder);
      deps.onUnknownMount?.(folder);
    },
  };
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(folder, entry.name));
}

/** Nothing may be put behind a symbolic link that leads out of the base dir: what does not exist yet is judged by its parent. */
function refuseOutside(baseDir: string, folder: string): void {
  for (let at = folder; ; at = path.dirname(at)) {
    try {
      const real = realpathSync.native(path.join(baseDir, at));
      if (isWithin(real, realpathSync.native(baseDir))) return;
      throw new CodedError(
        'HAPTIC_ERR_AGENT_PATH',
        `folder ${JSON.stringify(folder)} lies outside of the base dir, behind a symbolic link`,
      );
    } catch (error) {
      if (errorCode(error) !== 'ENOENT' || at === '.') throw error;
    }
  }
}

function isWithin(folder: string, root: string): boolean {
  return folder === root || folder.startsWith(root === '.' ? '' : `${root}${path.sep}`);
}

/** The topmost folder, from the base dir down, that is on the same device as the target's. */
async function deviceRoot(baseDir: string, targetFolder: string): Promise<string> {
  const device = (await stat(path.join(baseDir, targetFolder))).dev;
  const parts = targetFolder === '.' ? [] : targetFolder.split('/');
  for (let depth = 0; depth <= parts.length; depth++) {
    const folder = path.join('.', ...parts.slice(0, depth));
    if ((await stat(path.join(baseDir, folder))).dev === device) return folder;
  }
  return targetFolder;
}
