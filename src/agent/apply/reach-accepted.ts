import { openFilePool } from '../files/file-pool.ts';
import type { HeldFile } from '../files/held-files.ts';
import { type PathTarget, reachFiles } from '../files/reach-files.ts';
import type { ApplyContext } from './apply-context.ts';

/**
 * Puts files that are not what is held back to that, from memory, the configuration's second copy or links: all of them, or none when the
 * bytes of one are lost. Whether they are as held now. Never throws.
 */
export async function reachAccepted(
  { held, area, options, log }: ApplyContext,
  wrong: readonly string[],
): Promise<boolean> {
  const targets = new Map<string, PathTarget>();
  for (const file of wrong) {
    const known = held.all().get(file);
    if (known !== undefined) targets.set(file, { kind: 'content', held: known });
  }
  const { baseDir, configFile } = options;
  try {
    const pool = await openFilePool(area);
    const inMemory = (file: string, known: HeldFile) => held.inMemory(file, known);
    const deps = { baseDir, area, pool, last: configFile, inMemory };
    return (await reachFiles(deps, targets)).length === 0;
  } catch (error) {
    log.error({ err: error }, 'files could not be put back');
    return false;
  }
}
