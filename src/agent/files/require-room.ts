import { statfsSync } from 'node:fs';
import path from 'node:path';
import type { StagedFile } from './staged-file.ts';

/**
 * Throws when the file systems of these files, which exist, have no room for them: twice, since a copy of the configuration is kept as
 * well. What is written to a disk later than it is answered for must not be what fills it.
 */
export function requireRoom(baseDir: string, staged: readonly StagedFile[]): void {
  const wanted = new Map<string, number>();
  for (const { path: file, held } of staged) {
    const folder = path.dirname(path.join(baseDir, file));
    wanted.set(folder, (wanted.get(folder) ?? 0) + 2 * held.size);
  }
  for (const [folder, bytes] of wanted) {
    const { bavail, bsize } = statfsSync(folder);
    if (bavail * bsize < bytes) throw new Error(`no space left on the device of ${JSON.stringify(folder)}`);
  }
}
