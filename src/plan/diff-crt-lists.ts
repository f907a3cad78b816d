import { diffOrderedMaps, getEntry } from '../lib/ordered-map.ts';
import type { Slices } from '../lib/slices.ts';
import { crtListOperations } from './crt-list-operations.ts';
import type { DiffContext } from './diff-context.ts';

/** Rule R6 over all crt-lists with declared entries; what is added to one may need a certificate that comes with this apply. */
export function* diffCrtLists({
  worker,
  next,
  loaded,
  needs,
  capabilities,
  draft,
}: DiffContext): Slices<void> {
  for (const { key: path, before, after } of diffOrderedMaps(worker.crtLists, next.crtLists)) {
    const how = before === undefined ? 'new' : after === undefined ? 'removed' : 'changed';
    const isLoaded = loaded.has('crtlist', path);
    const other = isLoaded ? undefined : loaded.otherName('crtlist', path);
    if (getEntry(worker.files, path)?.digest === getEntry(next.files, path)?.digest) continue;
    if (other !== undefined) draft.reload(`crt-list ${path}: ${how}, and the worker knows it as ${other}`);
    else if (!isLoaded) draft.note(`crt-list ${path}: ${how}, but not loaded by the worker`);
    else if (after === undefined)
      draft.reload(
        getEntry(next.files, path) === undefined
          ? `crt-list ${path}: removed, but the worker has it loaded`
          : `crt-list ${path}: changed, and its entries are not declared any more`,
      );
    else if (before === undefined)
      draft.reload(`crt-list ${path}: loaded by the worker with entries that are not known`);
    else {
      const found = yield* crtListOperations(before, after, {
        needs,
        files: next.files,
        ...(capabilities.version !== undefined && { version: capabilities.version }),
      });
      if (found.kind === 'obstacle') draft.reload(`crt-list ${path}: ${found.reason}`);
      else {
        draft.emit('crtListAdd', ...found.adds);
        draft.emit('crtListDelete', ...found.deletes);
      }
    }
  }
}
