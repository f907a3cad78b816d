import { constants } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** The bytes of a file below the base dir; undefined when there is none, or a symbolic link in its place. */
export async function readOwned(baseDir: string, file: string): Promise<Buffer | undefined> {
  const flag = constants.O_RDONLY | constants.O_NOFOLLOW;
  return readFile(path.join(baseDir, file), { flag }).catch(() => undefined);
}
