import { existsSync, renameSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { isReached } from './is-reached.ts';
import type { JournalEntry } from './journal.ts';
import type { PathTarget, ReachDeps } from './reach-files.ts';

/**
 * The journal names a link for each path before the path changes and the link is made. An agent that goes on with changes that another one
 * began makes those links first, or the way back from what it is about to write would be lost.
 *
 * @param wanted what the paths shall be; those that are it already were kept
 */
export async function keepPromised(
  { baseDir, pool, area }: Pick<ReachDeps, 'baseDir' | 'pool' | 'area'>,
  journal: ReadonlyMap<string, JournalEntry>,
  wanted: ReadonlyMap<string, PathTarget>,
): Promise<void> {
  for (const [file, target] of wanted) {
    const entry = journal.get(file);
    if (entry === undefined || entry.kind === 'created') continue;
    const link = path.join(baseDir, entry.link);
    if (existsSync(link) || (await isReached(baseDir, file, target))) continue;
    const place = path.join(baseDir, file);
    const { held } = entry;
    const isThere = held === undefined || (await isReached(baseDir, file, { kind: 'content', held }));
    const from = (held && pool.find(held)) ?? (isThere ? place : undefined);
    if (from === undefined) continue;
    // Never half a file under the name that the record knows.
    const copy = await area.pathFor(file);
    await copyFile(from, copy);
    await mkdir(path.dirname(link), { recursive: true, mode: 0o700 });
    renameSync(copy, link);
  }
}
