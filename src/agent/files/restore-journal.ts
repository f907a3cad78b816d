import { existsSync } from 'node:fs';
import path from 'node:path';
import { openFilePool } from './file-pool.ts';
import type { HeldFiles } from './held-files.ts';
import { filesBefore, type JournalEntry } from './journal.ts';
import { type PathTarget, reachFiles } from './reach-files.ts';
import type { StagingArea } from './staging-area.ts';

export interface RestoreDeps {
  readonly baseDir: string;
  readonly configFile: string;
  readonly area: StagingArea;
  readonly held: HeldFiles;
}

/**
 * Puts every path of the journal back to what it was; `held` then owns what was owned at that time. All or nothing: gives the paths
 * whose former content is lost, and then nothing was changed. The journal's links stay, so that it can be done again.
 */
export async function restoreJournal(
  { baseDir, configFile, area, held }: RestoreDeps,
  journal: ReadonlyMap<string, JournalEntry>,
): Promise<readonly string[]> {
  const targets = new Map<string, PathTarget>();
  for (const [file, entry] of journal) targets.set(file, targetOf(baseDir, entry));
  const deps = { baseDir, area, pool: await openFilePool(area), last: configFile };
  const lost = await reachFiles(deps, targets);
  if (lost.length === 0) held.replace(filesBefore(held.all(), journal), new Map());
  return lost;
}

/** A link that was recorded but not made yet belongs to a path that was not changed yet. */
function targetOf(baseDir: string, entry: JournalEntry): PathTarget {
  if (entry.kind === 'created') return { kind: 'nothing' };
  const link = path.join(baseDir, entry.link);
  return {
    kind: 'content',
    ...(entry.held !== undefined && { held: entry.held }),
    ...(existsSync(link) && { keptAt: link }),
  };
}
