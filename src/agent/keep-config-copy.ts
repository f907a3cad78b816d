import { constants } from 'node:fs';
import { copyFile, rename } from 'node:fs/promises';
import path from 'node:path';
import type { ApplyContext } from './apply/apply-context.ts';

const busyIntervalMs = 10_000;

/**
 * Keeps a second copy of HAProxy's configuration, for the container start that copies the image's file over the accepted one: that
 * writes into the same file, so a hard link would be overwritten as well. To be called now and then; copies when the
 * configuration is another one than last time and stayed the same since the call before, else every ten seconds. Costs nothing
 * where the file system can share the blocks.
 */
export function createConfigKeeper({
  options,
  held,
  area,
  clock,
  log,
}: Pick<ApplyContext, 'options' | 'held' | 'area' | 'clock' | 'log'>): () => Promise<void> {
  let seen: string | undefined;
  let copied: string | undefined;
  let copiedAt = 0;
  return async () => {
    const digest = held.all().get(options.configFile)?.digest;
    const quiet = digest === seen;
    seen = digest;
    if (digest === undefined || digest === copied) return;
    if (!quiet && clock.now() - copiedAt < busyIntervalMs) return;
    try {
      const copy = await area.configCopy();
      await copyFile(
        path.join(options.baseDir, options.configFile),
        `${copy}.new`,
        constants.COPYFILE_FICLONE,
      );
      await rename(`${copy}.new`, copy);
      copied = digest;
      copiedAt = clock.now();
    } catch (error) {
      log.debug({ err: error }, 'no second copy of the configuration');
    }
  };
}
