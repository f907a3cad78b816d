import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commitFiles } from '../../../src/agent/files/commit-files.ts';
import { mountPoints, parseMountPoints } from '../../../src/agent/files/mount-points.ts';
import { createStagingArea } from '../../../src/agent/files/staging-area.ts';
import { mountVolumes, type Volumes, whyNoVolumes } from '../../fixtures/volumes.ts';

const noVolumes = whyNoVolumes();

describe('the kernel’s table of mounts', () => {
  it('tells which lie below a folder, with blanks and backslashes in their names', () => {
    const table = [
      '22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw',
      '90 22 8:1 /pods/1/general /etc/haproxy/general rw,relatime - ext4 /dev/sda1 rw',
      '91 22 0:44 / /etc/haproxy/a\\040b\\134c rw - tmpfs tmpfs rw',
      '92 22 0:45 / /etc/haproxy rw - tmpfs tmpfs rw',
      '93 22 0:46 / /etc/haproxy-other rw - tmpfs tmpfs rw',
      '94 90 0:47 / /etc/haproxy/general/deep rw - tmpfs tmpfs rw',
      '',
    ].join('\n');
    expect(parseMountPoints(table, '/etc/haproxy')).toEqual(['a b\\c', 'general', 'general/deep']);
  });
});

describe('a staging area', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'haptic-area-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('has its folders in the mount of the target: the deepest one around it', async () => {
    const area = createStagingArea(folder, {
      findMounts: () => Promise.resolve(['general', 'general/deep']),
    });
    const place = async (target: string) => path.relative(folder, path.dirname(await area.pathFor(target)));
    expect(await place('haproxy.cfg')).toBe('.haptic-tmp');
    expect(await place('maps/a/b.map')).toBe('.haptic-tmp');
    expect(await place('general/a')).toBe('general/.haptic-tmp');
    expect(await place('general/deep/er/a')).toBe('general/deep/.haptic-tmp');
    expect(await place('generally/a')).toBe('.haptic-tmp');
    expect(path.dirname(await area.linkFor('general/a'))).toBe('general/.haptic-lkg');
    await area.clear();
    expect(await readdir(path.join(folder, 'general'))).not.toContain('.haptic-tmp');
    expect(await place('general/a')).toBe('general/.haptic-tmp');
  });

  it.each(['out/a', 'out/deep/a', 'in/out/a'])(
    'hands out no name for what lies outside: %s',
    async (target) => {
      const outside = await mkdtemp(path.join(tmpdir(), 'haptic-outside-'));
      try {
        await mkdir(path.join(folder, 'in'));
        await symlink(outside, path.join(folder, 'out'));
        await symlink(outside, path.join(folder, 'in/out'));
        await symlink(path.join(folder, 'in'), path.join(folder, 'alias'));
        const area = createStagingArea(folder);
        await expect(area.pathFor(target)).rejects.toMatchObject({ code: 'HAPTIC_ERR_AGENT_PATH' });
        await expect(area.linkFor(target)).rejects.toMatchObject({ code: 'HAPTIC_ERR_AGENT_PATH' });
        expect(await readdir(outside)).toEqual([]);
        await expect(area.pathFor('alias/a')).resolves.toContain('.haptic-tmp');
      } finally {
        await rm(outside, { recursive: true });
      }
    },
  );
});

describe.skipIf(noVolumes !== undefined)(`a boundary between volumes ${noVolumes ?? ''}`, () => {
  let volumes: Volumes;
  beforeEach(async () => {
    volumes = await mountVolumes([
      { at: 'general', kind: 'bind' },
      { at: 'maps', kind: { memory: '1m' } },
    ]);
  });
  afterEach(() => volumes.remove());

  it('is found in the kernel’s table, whatever the device', async () => {
    expect(await mountPoints(volumes.path)).toEqual(['general', 'maps']);
  });

  it('that nobody knew of is crossed by a copy, counted, and known from then on', async () => {
    const unknown: string[] = [];
    const area = createStagingArea(volumes.path, {
      findMounts: () => Promise.resolve([]),
      onUnknownMount: (folder) => unknown.push(folder),
    });
    const file = path.join(volumes.path, 'general/a');
    await writeFile(file, 'old');
    const change = (text: string) => ({
      baseDir: volumes.path,
      staging: area,
      staged: [
        {
          path: 'general/a',
          held: { digest: '0'.repeat(16), proof: '', size: 3, kind: 'general' as const },
          source: { bytes: Buffer.from(text) },
        },
      ],
      removed: [],
      last: 'haproxy.cfg',
    });
    const first = await commitFiles(change('new'));
    expect(await readFile(file, 'utf8')).toBe('new');
    expect(unknown.length).toBeGreaterThan(0);
    expect(new Set(unknown)).toEqual(new Set(['general']));
    await first.undo();
    expect(await readFile(file, 'utf8')).toBe('old');
    unknown.length = 0;
    const second = await commitFiles(change('newer'));
    await second.keep();
    expect(await readFile(file, 'utf8')).toBe('newer');
    expect(unknown).toEqual([]);
    await area.clear();
    expect(
      (await readdir(path.join(volumes.path, 'general'))).filter((name) => name !== '.haptic-tmp'),
    ).toEqual(['a']);
  });
});
