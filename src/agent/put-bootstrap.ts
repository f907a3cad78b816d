import { lstatSync } from 'node:fs';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { CodedError } from '../lib/coded-error.ts';
import { errorCode } from '../lib/error-code.ts';
import { errorMessage } from '../lib/error-message.ts';
import { syncFolders } from './files/sync-folders.ts';

/**
 * Gives a HAProxy that starts after the agent something to start on: a copy of `source` where there is no configuration. What is
 * there stays and `source` is not looked at: it was accepted, or is that of an earlier start. Whole or not at all, after a crash of the machine as
 * well, and never over a file that came meanwhile. Resolves to whether it was put there; HAPTIC_ERR_AGENT_BOOTSTRAP where it cannot be.
 */
export async function putBootstrap(
  source: string,
  { baseDir, configFile }: { readonly baseDir: string; readonly configFile: string },
): Promise<boolean> {
  const target = path.join(baseDir, configFile);
  if (lstatSync(target, { throwIfNoEntry: false }) !== undefined) return false;
  const staged = `${target}.bootstrap`;
  try {
    await mkdir(path.dirname(target), { recursive: true });
    await writeDurably(staged, await readFile(source));
    await link(staged, target);
    await syncFolders(baseDir, [configFile]);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    const message = `--bootstrap: ${source} cannot be put at ${target}: ${errorMessage(error)}`;
    throw new CodedError('HAPTIC_ERR_AGENT_BOOTSTRAP', message, { cause: error });
  } finally {
    await rm(staged, { force: true });
  }
}

/** The name that it gets afterwards must not outlive the bytes: an empty configuration would be left alone by the next start. */
async function writeDurably(file: string, bytes: Buffer): Promise<void> {
  const handle = await open(file, 'w');
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
