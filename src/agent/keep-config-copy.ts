import { constants, linkSync } from 'node:fs';
import { copyFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from 'pino';
import type { HeldFile, HeldFiles } from './files/held-files.ts';
import type { StagedFile } from './files/staged-file.ts';
import type { StagingArea } from './files/staging-area.ts';

/**
 * A second copy of HAProxy's configuration, for the container start that copies the image's file over the accepted one: that writes into
 * the same file, so a hard link would be overwritten as well. Not synced: it has to outlive the agent, not the machine. Never
 * throws: without it an image's file ends in the last known good set.
 */
export interface ConfigCopy {
  /**
   * Gives the copy another name, if it is one of this content: for the journal, which needs the former configuration in a file of its own as
   * well. What is copied next is another file. False: there is no such copy, or it cannot be linked.
   */
  linkTo(name: string, content: HeldFile): Promise<boolean>;
  /** Of a configuration that is about to be put in place, if it is among the staged ones. Resolves before its file may be renamed away. */
  prepare(staged: readonly StagedFile[]): Promise<void>;
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
      try {
        linkSync(await area.configCopy(), name);
        return true;
      } catch (error) {
        log.debug({ err: error }, 'the second copy of the configuration cannot be linked');
        return false;
      }
    },
    prepare: async (staged) => {
      const config = staged.find((file) => file.path === configFile);
      if (config === undefined) return;
      const { source } = config;
      await replace(config.held.digest, 'bytes' in source ? source.bytes : source.tempPath);
    },
    refresh: async () => {
      const known = held.all().get(configFile);
      if (known === undefined || known.digest === copied) return;
      await replace(known.digest, held.inMemory(configFile, known) ?? path.join(baseDir, configFile));
    },
  };
}
