import { lstatSync } from 'node:fs';
import path from 'node:path';
import type { HeldFile } from './held-files.ts';
import type { JournalEntry } from './journal.ts';
import type { StagingArea } from './staging-area.ts';

/**
 * Entries for the paths that change for the first time since the last known good plan: the first entry wins, since it tells what
 * the path was then. Nothing is linked yet; the entries are to be on record before the files change.
 */
export async function planJournal(
  baseDir: string,
  area: StagingArea,
  files: ReadonlyMap<string, HeldFile>,
  journal: ReadonlyMap<string, JournalEntry>,
  change: { readonly written: readonly string[]; readonly removed: readonly string[] },
): Promise<ReadonlyMap<string, JournalEntry>> {
  const fresh = new Map<string, JournalEntry>();
  const add = async (file: string, kind: 'modified' | 'deleted') => {
    if (journal.has(file)) return;
    if (lstatSync(path.join(baseDir, file), { throwIfNoEntry: false }) === undefined) {
      if (kind === 'modified') fresh.set(file, { kind: 'created' });
      return;
    }
    const held = files.get(file);
    const link = await area.linkFor(file);
    fresh.set(file, { kind, link, ...(held !== undefined && { held }) });
  };
  for (const file of change.written) await add(file, 'modified');
  for (const file of change.removed) await add(file, 'deleted');
  return fresh;
}
