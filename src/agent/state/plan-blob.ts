import { open, readFile, rename, rm } from 'node:fs/promises';
import { digest } from '../../lib/digest.ts';

/** The opaque plan of the applied plan, kept for the next leader: `.haptic-agent-plan.bin` beside the state file. */
export interface PlanBlobFile {
  /** Stores a blob durably and gives its digest. */
  write(blob: Buffer): Promise<string>;
  /** The blob, if it is still the one of that digest. */
  read(expectedDigest: string): Promise<Buffer | undefined>;
  remove(): Promise<void>;
}

export function planBlobFile(file: string): PlanBlobFile {
  return {
    write: async (blob) => {
      const temp = `${file}.new`;
      const handle = await open(temp, 'w', 0o600);
      try {
        await handle.writeFile(blob);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(temp, file);
      return digest(blob);
    },
    read: async (expectedDigest) => {
      const blob = await readFile(file).catch(() => undefined);
      return blob !== undefined && digest(blob) === expectedDigest ? blob : undefined;
    },
    remove: () => rm(file, { force: true }),
  };
}
