import { readFile, writeFile } from 'node:fs/promises';
import { digest } from '../../lib/digest.ts';
import type { FilePatch } from './file-patch.ts';
import type { FilePool } from './file-pool.ts';
import type { HeldFile } from './held-files.ts';
import { readOwned } from './read-owned.ts';
import { splice } from './splice.ts';
import type { StagingArea } from './staging-area.ts';

/**
 * Contents that are on record as patches become files of the pool, where what they change is still there: in the path's own place or in the
 * pool. What is there already, or is not what its digest says, is left out.
 */
export async function writePatched(
  { baseDir, area, pool }: { readonly baseDir: string; readonly area: StagingArea; readonly pool: FilePool },
  changes: ReadonlyMap<string, HeldFile | undefined>,
  patches: ReadonlyMap<string, FilePatch>,
): Promise<void> {
  for (const [file, patch] of patches) {
    const held = changes.get(file);
    if (held === undefined || pool.find(held) !== undefined) continue;
    const kept = pool.find(patch.base);
    const base = kept === undefined ? await readOwned(baseDir, file) : await readFile(kept);
    if (base?.length !== patch.base.size || digest(base) !== patch.base.digest) continue;
    if (base.length - patch.length + patch.bytes.length !== held.size) continue;
    const content = splice(Buffer.allocUnsafeSlow(held.size), base, patch);
    if (digest(content) !== held.digest) continue;
    const written = await area.pathFor(file);
    await writeFile(written, content, { flag: 'wx', mode: 0o600 });
    pool.add(held, written);
  }
}
