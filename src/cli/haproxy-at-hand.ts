import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { CodedError } from '../lib/coded-error.ts';
import { errorCode } from '../lib/error-code.ts';
import { errorMessage } from '../lib/error-message.ts';
import type { HaproxyAtHand } from '../validation/test-deps.ts';

/**
 * A HAProxy binary with its version. Undefined when it is to be found on PATH and is not there: tests that need none run then.
 *
 * @param name path of the binary, or its name on PATH
 * @throws CodedError `HAPTIC_ERR_CLI_HAPROXY` when it is there, or was named by its path, and does not run
 */
export async function haproxyAtHand(name: string): Promise<HaproxyAtHand | undefined> {
  try {
    const { stdout } = await promisify(execFile)(name, ['-v'], { timeout: 10_000 });
    return { path: name, version: /version (\S+)/.exec(stdout)?.[1] ?? '' };
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT' && !name.includes('/')) return undefined;
    throw new CodedError('HAPTIC_ERR_CLI_HAPROXY', `--haproxy ${name} does not run: ${errorMessage(cause)}`, {
      cause,
    });
  }
}
