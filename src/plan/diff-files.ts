import { diffOrderedMaps, getEntry } from '../lib/ordered-map.ts';
import type { Plan, PlanFile } from '../protocol/plan.ts';
import { diffCertificateFile, isStoreKind } from './diff-certificates.ts';
import type { DiffContext } from './diff-context.ts';

/**
 * Rules R6 and R7: which files HAProxy must read again. Maps and crt-lists with declared entries have their own rules, and so do
 * certificates, CA and CRL files; other files are read again as they declare.
 */
export function diffFiles(context: DiffContext, configExplained: boolean): void {
  const { worker, next, draft } = context;
  for (const { key: path, before, after } of diffOrderedMaps(worker.files, next.files)) {
    const how = before === undefined ? 'new' : after === undefined ? 'removed' : 'changed';
    const file = after ?? before;
    if (file === undefined || (before !== undefined && after !== undefined && sameBytes(before, after)))
      continue;
    if (file.kind === 'config') {
      if (!configExplained) draft.reload(`config ${path}: ${how} with no section explaining it`);
    } else if (isStoreKind(file.kind)) diffCertificateFile(context, before, after);
    else if (file.kind === 'crtlist') diffOpaqueCrtList(context, path, how);
    else if (!isTypedMap(worker, next, file)) {
      if (file.reloadOnChange) draft.reload(`file ${path}: ${how}, and declared as read at start`);
      else draft.note(`file ${path}: ${how}`);
    }
  }
}

/** A crt-list whose entries the render does not declare: nobody knows what changed in it. */
function diffOpaqueCrtList({ worker, next, loaded, draft }: DiffContext, path: string, how: string): void {
  if ([worker, next].some((plan) => getEntry(plan.crtLists, path) !== undefined)) return;
  if (loaded.has('crtlist', path) || loaded.otherName('crtlist', path) !== undefined)
    draft.reload(`crt-list ${path}: ${how}, and its entries are not declared`);
  else draft.note(`crt-list ${path}: ${how}, but not loaded by the worker`);
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
