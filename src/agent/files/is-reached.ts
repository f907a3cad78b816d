import { digest } from '../../lib/digest.ts';
import type { PathTarget } from './reach-files.ts';
import { readOwned } from './read-owned.ts';

/** Whether a path (relative to the base dir) is what it shall be. A content that is known by its place alone never counts. */
export async function isReached(baseDir: string, file: string, target: PathTarget): Promise<boolean> {
  const bytes = await readOwned(baseDir, file);
  if (target.kind === 'nothing') return bytes === undefined;
  const { held, keptAt } = target;
  if (held === undefined) return keptAt === undefined;
  return bytes?.length === held.size && digest(bytes) === held.digest;
}
