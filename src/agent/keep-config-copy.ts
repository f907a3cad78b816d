import { constants } from 'node:fs';
import { copyFile, link, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from 'pino';
import type { HeldFile, HeldFiles } from './files/held-files.ts';
import type { StagingArea } from './files/staging-area.ts';

/**
 * A second copy of HAProxy's configuration, for the container start that copies the image's file over the accepted one: that writes into
 * the same file, so a hard link would be overwritten as well. Not synced: it has to outlive the agent, not the machine. Never
 * throws: without it an image's file ends in the last known good set.
 */
export interface ConfigCopy {
  /**
   * Gives the copy another name, if it is one of this content: for the journal, which needs the former configuration in a file of its own as
   * well. What is copied next is another file. False: there is no such copy.
   */
  linkTo(name: string, content: HeldFile): Promise<boolean>;
  /** Of the configuration in place, unless it is the copied one already. */
  refresh(): Promise<void>;
}

export interface ConfigCopyDeps {
  readonly baseDir: string;
  readonly configFile: string;
  readonly held: HeldFiles;
  readonly area: StagingArea;
  readonly log: Logger;
}

export function createConfigCopy({ baseDir, configFile, held, area, log }: ConfigCopyDeps): ConfigCopy {
  let copied: string | undefined;
  const replace = async (digest: string, from: string | Buffer) => {
    copied = undefined;
    try {
      const copy = await area.configCopy();
      if (typeof from === 'string') await copyFile(from, `${copy}.new`, constants.COPYFILE_FICLONE);
      else await writeFile(`${copy}.new`, from, { mode: 0o600 });
      await rename(`${copy}.new`, copy);
      copied = digest;
    } catch (error) {
      log.debug({ err: error }, 'no second copy of the configuration');
    }
  };
  return {
    linkTo: async (name, content) => {
      if (content.digest !== copied) return false;
      return link(await area.configCopy(), name).then(
        () => true,
        () => false,
      );
    },
    refresh: async () => {
      const known = held.all().get(configFile);
      if (known === undefined || known.digest === copied) return;
      await replace(known.digest, held.inMemory(configFile, known) ?? path.join(baseDir, configFile));
    },
  };
}
