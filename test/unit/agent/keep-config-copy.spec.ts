import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHeldFiles, type HeldFile } from '../../../src/agent/files/held-files.ts';
import { createStagingArea } from '../../../src/agent/files/staging-area.ts';
import { createConfigCopy } from '../../../src/agent/keep-config-copy.ts';
import { digest } from '../../../src/lib/digest.ts';

const configFile = 'haproxy.cfg';
const held = (text: string): HeldFile => ({
  digest: digest(text),
  proof: 'p',
  size: text.length,
  kind: 'config',
});

describe('the second copy of the configuration', () => {
  let baseDir: string;
  beforeEach(async () => {
    baseDir = await mkdtemp(path.join(tmpdir(), 'haptic-copy-'));
  });
  afterEach(() => rm(baseDir, { recursive: true, force: true }));

  const started = async (text: string) => {
    await writeFile(path.join(baseDir, configFile), text);
    const files = createHeldFiles(baseDir, new Map([[configFile, held(text)]]));
    const area = createStagingArea(baseDir);
    const copy = createConfigCopy({ baseDir, configFile, held: files, area, log: pino({ level: 'silent' }) });
    await copy.refresh();
    const change = async (next: string) => {
      await writeFile(path.join(baseDir, configFile), next);
      files.replace(new Map([[configFile, held(next)]]), new Map([[configFile, Buffer.from(next)]]));
      await copy.refresh();
    };
    return { copy, change, text: async () => readFile(await area.configCopy(), 'utf8') };
  };
  const linkName = () => path.join(baseDir, '.haptic-lkg', 'link');

  it('is a file of its own, and follows what is in place', async () => {
    const { change, text } = await started('one');
    expect(await text()).toBe('one');
    // A container that starts writes its image's file into the one in place.
    await writeFile(path.join(baseDir, configFile), 'of the image', { flag: 'r+' });
    expect(await text()).toBe('one');
    await change('two');
    expect(await text()).toBe('two');
  });

  it('takes another name for the journal, and what is copied next leaves that alone', async () => {
    const { copy, change, text } = await started('one');
    expect(await copy.linkTo(linkName(), held('one'))).toBe(true);
    expect((await stat(linkName())).nlink).toBe(2);
    await change('two');
    expect(await readFile(linkName(), 'utf8')).toBe('one');
    expect((await stat(linkName())).nlink).toBe(1);
    expect(await text()).toBe('two');
  });

  it('is not given for other content, nor when it cannot be linked', async () => {
    const { copy } = await started('one');
    expect(await copy.linkTo(linkName(), held('two'))).toBe(false);
    await expect(stat(linkName())).rejects.toThrow('ENOENT');
    await rm(path.join(baseDir, '.haptic-lkg', 'config'));
    expect(await copy.linkTo(linkName(), held('one'))).toBe(false);
  });
});
