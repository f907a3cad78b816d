import { diffOrderedMaps, getEntry } from '../lib/ordered-map.ts';
import type { Plan, PlanFile } from '../protocol/plan.ts';
import type { DiffContext } from './diff-context.ts';

/**
 * Rules R6 and R7: which files HAProxy must read again. Maps have their own rule; certificates, CA files and crt-lists are
 * reloaded on any change; other files as they declare.
 */
export function diffFiles({ worker, next, draft }: DiffContext, configExplained: boolean): void {
  for (const { key: path, before, after } of diffOrderedMaps(worker.files, next.files)) {
    const how = before === undefined ? 'new' : after === undefined ? 'removed' : 'changed';
    const file = after ?? before;
    if (file === undefined || (before !== undefined && after !== undefined && sameBytes(before, after)))
      continue;
    if (file.kind === 'config') {
      if (!configExplained) draft.reload(`config ${path}: ${how} with no section explaining it`);
    } else if (file.kind === 'cert' || file.kind === 'ca' || file.kind === 'crtlist')
      draft.reload(`${file.kind} ${path}: ${how}, and HAProxy reads it only at start`);
    else if (!isTypedMap(worker, next, file)) {
      if (file.reloadOnChange) draft.reload(`file ${path}: ${how}, and declared as read at start`);
      else draft.note(`file ${path}: ${how}`);
    }
  }
}

/** Paths whose bytes differ on disk, and those that are to be removed; both sorted. */
export function fileChanges(
  held: Plan,
  next: Plan,
): { readonly changedFiles: readonly string[]; readonly removedFiles: readonly string[] } {
  const changedFiles: string[] = [];
  const removedFiles: string[] = [];
  for (const { key, before, after } of diffOrderedMaps(held.files, next.files)) {
    if (after === undefined) removedFiles.push(key);
    else if (before === undefined || !sameBytes(before, after)) changedFiles.push(key);
  }
  return { changedFiles, removedFiles };
}

function sameBytes(a: PlanFile, b: PlanFile): boolean {
  return a.digest === b.digest && a.size === b.size;
}

function isTypedMap(worker: Plan, next: Plan, file: PlanFile): boolean {
  return file.kind === 'map' && [worker, next].some((plan) => getEntry(plan.maps, file.path) !== undefined);
}
