import type { HeldFile } from './held-files.ts';

/** A file set of which some went and others came or are other than before, by path. */
export function withFileChanges(
  before: ReadonlyMap<string, HeldFile>,
  removed: Iterable<string>,
  changed: Iterable<readonly [string, HeldFile]>,
): ReadonlyMap<string, HeldFile> {
  const after = new Map(before);
  for (const path of removed) after.delete(path);
  for (const [path, held] of changed) after.set(path, held);
  return after;
}
