import { lstatSync } from 'node:fs';
import { copyFile, link, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { CodedError } from '../lib/coded-error.ts';
import { errorCode } from '../lib/error-code.ts';
import { errorMessage } from '../lib/error-message.ts';

/**
 * Gives a HAProxy that starts after the agent something to start on: a copy of `source` where there is no configuration. What is
 * there stays and `source` is not looked at: it was accepted, or is that of an earlier start. Whole or not at all, and never over a
 * file that came meanwhile. Resolves to whether it was put there; HAPTIC_ERR_AGENT_BOOTSTRAP where it cannot be.
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
    await copyFile(source, staged);
    await link(staged, target);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    const message = `--bootstrap: ${source} cannot be put at ${target}: ${errorMessage(error)}`;
    throw new CodedError('HAPTIC_ERR_AGENT_BOOTSTRAP', message, { cause: error });
  } finally {
    await rm(staged, { force: true });
  }
}
