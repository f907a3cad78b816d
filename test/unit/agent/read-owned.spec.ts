import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readOwned } from '../../../src/agent/files/read-owned.ts';
import { limits } from '../../../src/protocol/limits.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'haptic-owned-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('what lies where a file of the agent should be', () => {
  it('is read where it is one', async () => {
    await writeFile(path.join(folder, 'file'), 'a b\n');
    expect(String(await readOwned(folder, 'file'))).toBe('a b\n');
  });

  it('counts for nothing where it is a pipe, which nobody waits for', async () => {
    execFileSync('mkfifo', [path.join(folder, 'pipe')]);
    expect(await readOwned(folder, 'pipe')).toBeUndefined();
  });

  it('counts for nothing where it is larger than any file of an apply, and is not read', async () => {
    await writeFile(path.join(folder, 'large'), '');
    await truncate(path.join(folder, 'large'), limits.applyBodyBytes + 1);
    expect(await readOwned(folder, 'large')).toBeUndefined();
  });

  it('counts for nothing where it is a link, a folder, a device or nothing', async () => {
    await symlink(path.join(folder, 'file'), path.join(folder, 'link'));
    for (const name of ['link', '.', '../../../../../dev/zero', 'nothing'])
      expect([name, await readOwned(folder, name)]).toStrictEqual([name, undefined]);
  });
});
