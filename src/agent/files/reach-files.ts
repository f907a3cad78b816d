import { chmod, copyFile, open, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { digest } from '../../lib/digest.ts';
import type { FilePool } from './file-pool.ts';
import type { HeldFile } from './held-files.ts';
import { moveFile } from './move-file.ts';
import { readOwned } from './read-owned.ts';
import { modeOf } from './staged-file.ts';
import type { StagingArea } from './staging-area.ts';
import { syncFolders } from './sync-folders.ts';

/** What a path shall be: a content, a former file that the agent did not own (absolute path of what was kept of it), or nothing. */
export type PathTarget = HeldFile | { readonly keptAt: string } | undefined;

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
    const mode = target !== undefined && 'kind' in target ? modeOf(target.kind) : undefined;
    if (from !== undefined) await place(deps, file, from, mode);
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
  const bytes = await readOwned(baseDir, file);
  if (target === undefined) return bytes === undefined ? 'there' : { from: undefined };
  if ('keptAt' in target) return { from: target.keptAt };
  if (bytes?.length === target.size && digest(bytes) === target.digest) return 'there';
  const from = pool.find(target) ?? inMemory?.(file, target);
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
