import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { limits } from '../../protocol/limits.ts';

/** Whoever else writes to the folder may have put anything there: a pipe would be waited for. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The bytes of a file below the base dir; undefined when there is none, or anything else in its place, or one that is larger than any of an apply. */
export async function readOwned(baseDir: string, file: string): Promise<Buffer | undefined> {
  try {
    await using handle = await open(path.join(baseDir, file), flags);
    const found = await handle.stat();
    return found.isFile() && found.size <= limits.applyBodyBytes ? await handle.readFile() : undefined;
  } catch {
    return undefined;
  }
}
