import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { putBootstrap } from '../../../src/agent/put-bootstrap.ts';

const configFile = 'haproxy.cfg';

describe('putBootstrap', () => {
  let folder: string;
  let baseDir: string;
  let source: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'haptic-bootstrap-'));
    baseDir = path.join(folder, 'base');
    source = path.join(folder, 'bootstrap.cfg');
    await mkdir(baseDir);
    await writeFile(source, 'first\n');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const present = () => readFile(path.join(baseDir, configFile), 'utf8');

  it('puts the file where there is none, and leaves nothing else behind', async () => {
    expect(await putBootstrap(source, { baseDir, configFile })).toBe(true);
    expect(await present()).toBe('first\n');
    expect(await readdir(baseDir)).toEqual([configFile]);
  });

  it('leaves what is there, without a look at the source', async () => {
    await writeFile(path.join(baseDir, configFile), 'accepted\n');
    expect(await putBootstrap(path.join(folder, 'nowhere'), { baseDir, configFile })).toBe(false);
    expect(await present()).toBe('accepted\n');
  });

  it('leaves a link that leads nowhere: somebody meant it', async () => {
    await symlink('/nowhere', path.join(baseDir, configFile));
    expect(await putBootstrap(source, { baseDir, configFile })).toBe(false);
  });

  it('is not in the way of itself: two at a time leave one whole file', async () => {
    const both = await Promise.allSettled([1, 2].map(() => putBootstrap(source, { baseDir, configFile })));
    expect(both.some((end) => end.status === 'fulfilled' && end.value)).toBe(true);
    expect(await present()).toBe('first\n');
  });

  it('goes on after one that was killed half-way', async () => {
    await writeFile(path.join(baseDir, `${configFile}.bootstrap`), 'ha');
    expect(await putBootstrap(source, { baseDir, configFile })).toBe(true);
    expect(await readdir(baseDir)).toEqual([configFile]);
  });

  it('takes a file that is read-only and belongs to a volume of links, as a ConfigMap’s', async () => {
    await rm(source);
    await mkdir(path.join(folder, '..data'));
    await writeFile(path.join(folder, '..data', 'bootstrap.cfg'), 'first\n', { mode: 0o444 });
    await symlink('..data/bootstrap.cfg', source);
    expect(await putBootstrap(source, { baseDir, configFile })).toBe(true);
    expect(await present()).toBe('first\n');
  });

  it('makes the folder of a configuration further down', async () => {
    expect(await putBootstrap(source, { baseDir, configFile: 'etc/haproxy.cfg' })).toBe(true);
    expect(await readFile(path.join(baseDir, 'etc/haproxy.cfg'), 'utf8')).toBe('first\n');
  });

  it('names both files where the source cannot be read', async () => {
    await rm(source);
    await expect(putBootstrap(source, { baseDir, configFile })).rejects.toMatchObject({
      code: 'HAPTIC_ERR_AGENT_BOOTSTRAP',
      message: expect.stringMatching(
        /^--bootstrap: .*bootstrap\.cfg cannot be put at .*haproxy\.cfg: ENOENT/,
      ) as string,
    });
    expect(await readdir(baseDir)).toEqual([]);
  });
});
