import { chmod, copyFile, open, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { FilePool } from './file-pool.ts';
import type { HeldFile } from './held-files.ts';
import { isReached } from './is-reached.ts';
import { moveFile } from './move-file.ts';
import { modeOf } from './staged-file.ts';
import type { StagingArea } from './staging-area.ts';
import { syncFolders } from './sync-folders.ts';

/**
 * What a path shall be: nothing, or a content. `held` tells which, if the agent owned it; `keptAt` where it is kept (absolute). With
 * neither, it shall stay what it is.
 */
export type PathTarget =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'content'; readonly held?: HeldFile; readonly keptAt?: string };

export interface ReachDeps {
  readonly baseDir: string;
  readonly area: StagingArea;
  readonly pool: FilePool;
  /** HAProxy's configuration: goes after all files and before all removals. */
  readonly last: string;
  /** Contents still in memory. */
  readonly inMemory?: (file: string, held: HeldFile) => Buffer | undefined;
}

/**
 * Brings paths to given contents with what the agent still has: all of them, or none when the bytes of one are lost. Gives the paths
 * whose bytes are lost, sorted; empty: every path is as wanted. Copies, so that what it takes from is there for another try.
 */
export async function reachFiles(
  deps: ReachDeps,
  targets: ReadonlyMap<string, PathTarget>,
): Promise<readonly string[]> {
  const sources = new Map<string, string | Buffer | undefined>();
  const lost: string[] = [];
  for (const [file, target] of targets) {
    const source = await sourceOf(deps, file, target);
    if (source === 'lost') lost.push(file);
    else if (source !== 'there') sources.set(file, source.from);
  }
  if (lost.length > 0) return lost.sort();
  const put = [...sources].filter(([, from]) => from !== undefined);
  put.sort(([a], [b]) => Number(a === deps.last) - Number(b === deps.last));
  for (const [file, from] of put) {
    const target = targets.get(file);
    const held = target?.kind === 'content' ? target.held : undefined;
    if (from !== undefined) await place(deps, file, from, held && modeOf(held.kind));
  }
  for (const [file, from] of sources)
    if (from === undefined) await rm(path.join(deps.baseDir, file), { force: true });
  await syncFolders(deps.baseDir, [...sources.keys()]);
  return [];
}

async function sourceOf(
  { baseDir, pool, inMemory }: ReachDeps,
  file: string,
  target: PathTarget,
): Promise<'there' | 'lost' | { readonly from: string | Buffer | undefined }> {
  if (await isReached(baseDir, file, target)) return 'there';
  if (target.kind === 'nothing') return { from: undefined };
  const { held, keptAt } = target;
  const known = held === undefined ? undefined : (pool.find(held) ?? inMemory?.(file, held));
  const from = known ?? keptAt;
  return from === undefined ? 'lost' : { from };
}

async function place(
  { baseDir, area }: ReachDeps,
  file: string,
  from: string | Buffer,
  mode: number | undefined,
): Promise<void> {
  const temp = await area.pathFor(file);
  if (typeof from === 'string') await copyFile(from, temp);
  else await writeFile(temp, from, { mode: 0o600 });
  if (mode !== undefined) await chmod(temp, mode);
  const handle = await open(temp, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
  await moveFile(temp, path.join(baseDir, file), area.onCrossing);
}
