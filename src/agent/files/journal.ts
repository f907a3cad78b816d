import type { HeldFile } from './held-files.ts';

/**
 * What a path was before its first change since the last known good plan. `modified` and `deleted` keep the former content
 * as a hard link; `created` says that there was nothing.
 */
export type JournalEntry =
  | {
      readonly kind: 'modified' | 'deleted';
      /** Relative to the base dir: `.haptic-lkg/12`, `maps/.haptic-lkg/3`. */
      readonly link: string;
      /** The former content; absent: a file that the agent did not own. */
      readonly held?: HeldFile;
    }
  | { readonly kind: 'created' };

/** The owned files as they were before what the journal tells of. */
export function filesBefore(
  files: ReadonlyMap<string, HeldFile>,
  journal: ReadonlyMap<string, JournalEntry>,
): ReadonlyMap<string, HeldFile> {
  const before = new Map(files);
  for (const [path, entry] of journal) {
    if (entry.kind === 'created' || entry.held === undefined) before.delete(path);
    else before.set(path, entry.held);
  }
  return before;
}
