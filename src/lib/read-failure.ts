import { errorCode } from './error-code.ts';
import { errorMessage } from './error-message.ts';

const words: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
  EISDIR: 'it is a folder, and a file is needed',
  ENOTDIR: 'a part of the path is a file, and no folder',
};

/** Why a file or folder could not be read, to be said after its name. */
export function readFailure(error: unknown): string {
  const code = errorCode(error);
  const known = code === undefined ? undefined : words[code];
  return known === undefined ? errorMessage(error) : `${known} (${code ?? ''})`;
}
