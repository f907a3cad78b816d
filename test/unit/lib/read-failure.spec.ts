import { readFile, readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { readFailure } from '../../../src/lib/read-failure.ts';

const failing = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'it was read',
    (error: unknown) => readFailure(error),
  );

describe('readFailure', () => {
  it('says what is wrong with a path, and leaves its name to others', async () => {
    expect(await failing(readFile('/nowhere/x'))).toBe('there is no such file or folder (ENOENT)');
    expect(await failing(readFile('/tmp'))).toBe('it is a folder, and a file is needed (EISDIR)');
    expect(await failing(readdir('/etc/passwd'))).toBe(
      'a part of the path is a file, and no folder (ENOTDIR)',
    );
  });

  it('repeats what else went wrong', () => {
    expect(readFailure(new Error('the disk is gone'))).toBe('the disk is gone');
  });
});
