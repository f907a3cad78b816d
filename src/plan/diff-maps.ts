import { diffOrderedMaps, getEntry } from '../lib/ordered-map.ts';
import type { Slices } from '../lib/slices.ts';
import type { DiffContext } from './diff-context.ts';
import { emitMapOperations } from './emit-map-operations.ts';
import { mapOperations } from './map-operations.ts';

/** Rule R5 over all maps: only those whose file differs and that the worker has loaded need anything at runtime. */
export function* diffMaps({ worker, next, loaded, draft }: DiffContext): Slices<void> {
  for (const { key: path, before, after } of diffOrderedMaps(worker.maps, next.maps)) {
    const isLoaded = loaded.has('map', path);
    const other = isLoaded ? undefined : loaded.otherName('map', path);
    if (after === undefined) {
      if (isLoaded || other !== undefined) draft.reload(`map ${path}: removed, but the worker has it loaded`);
      else draft.note(`map ${path}: removed, and not loaded by the worker`);
      continue;
    }
    if (digestIn(worker.files, path) === digestIn(next.files, path)) continue;
    if (other !== undefined) draft.reload(`map ${path}: changed, and the worker knows it as ${other}`);
    else if (!isLoaded) draft.note(`map ${path}: changed, but not loaded by the worker`);
    else if (before === undefined)
      draft.reload(`map ${path}: loaded by the worker with content that is not known`);
    else {
      const operations = yield* mapOperations(before, after);
      if (operations.obstacle !== undefined) draft.reload(`map ${path}: changed, and ${operations.obstacle}`);
      emitMapOperations(draft, operations, { before, after }, { worker, next });
    }
  }
}

function digestIn(files: DiffContext['next']['files'], path: string): string | undefined {
  return getEntry(files, path)?.digest;
}
