import { open } from 'node:fs/promises';
import path from 'node:path';

/** Makes renames and removals durable: fsync of every folder that holds one of the files (relative to the base dir). */
export async function syncFolders(baseDir: string, files: readonly string[]): Promise<void> {
  const folders = new Set(files.map((file) => path.dirname(path.join(baseDir, file))));
  await Promise.all(
    [...folders].map(async (folder) => {
      const handle = await open(folder, 'r');
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
    }),
  );
}
