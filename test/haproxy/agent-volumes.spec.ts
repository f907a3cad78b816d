import { lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { useAgentScene } from '../fixtures/agent-scene.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { siteFiles, visit } from '../fixtures/site-config.ts';
import { mountVolumes, type Volume, type Volumes, whyNoVolumes } from '../fixtures/volumes.ts';

const noVolumes = whyNoVolumes();

function useVolumeScene(line: Parameters<typeof useAgentScene>[0], volumes: readonly Volume[]) {
  let mounted: Volumes | undefined;
  const scene = useAgentScene(line, {}, async () => (mounted = await mountVolumes(volumes)));
  return {
    scene,
    volumes: () => {
      if (mounted === undefined) throw new Error('nothing is mounted');
      return mounted;
    },
  };
}

const filesBelow = async (folder: string) => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
  return names.filter((name) => !/^\.haptic-(agent|lkg)/.test(name)).sort();
};

describeEachLine('an agent whose files', (line) => {
  describe.skipIf(noVolumes !== undefined)(`lie on several volumes ${noVolumes ?? ''}`, () => {
    const { scene } = useVolumeScene(line, [
      { at: 'maps', kind: { memory: '4m' } },
      { at: 'general', kind: 'bind' },
    ]);
    const inBase = (name: string) => path.join(scene().haproxy.baseDir, name);

    it('changes, keeps and puts back those of every volume, without a copy', async () => {
      const { talk, site, echo, haproxy, harness, counted } = scene();
      const here = site({ app: [{ name: 'a', port: await echo('one') }] });
      const good = { ...siteFiles(here, { '/': 'app' }), 'general/sub/a.txt': 'good', 'general/b.txt': 'b' };
      expect((await talk.reload(good)).body).toMatchObject({ ok: true });
      const { 'general/b.txt': _gone, ...rest } = good;
      const next = { ...rest, 'maps/path.map': '/next app\n', 'general/sub/a.txt': 'next' };
      const reply = await talk.runtime(next, [{ kind: 'map_replace', path: 'maps/path.map' }]);
      expect(reply.body).toMatchObject({ ok: true, mode: 'runtime' });
      // Waits for the files, which are put in place after the answer.
      await harness.state('?verify=1');
      expect((await readdir(inBase('maps/.haptic-lkg'))).length).toBe(1);
      expect((await readdir(inBase('general/.haptic-lkg'))).length).toBe(2);
      const bad = { ...next, 'haproxy.cfg': 'bogus keyword\n', 'general/c.txt': 'c' };
      expect((await talk.reload(bad)).body).toMatchObject({ ok: false, rollback: { performed: true } });
      for (const [name, text] of Object.entries(good))
        expect(await readFile(inBase(name), 'utf8')).toBe(text);
      await expect(stat(inBase('general/c.txt'))).rejects.toThrow('ENOENT');
      expect(counted).not.toContain('invariant mount_probe_found_every_mount');
      expect((await talk.reload(next)).body).toMatchObject({ ok: true });
      expect((await visit(here, '/next')).body).toBe('one');
      expect(await harness.state('?verify=1')).not.toHaveProperty('invariant_violation');
      expect(await haproxy.reloads()).toBeGreaterThan(1);
    });
  });

  describe.skipIf(noVolumes !== undefined)(`lie on a small volume ${noVolumes ?? ''}`, () => {
    const { scene, volumes } = useVolumeScene(line, [{ at: '.', kind: { memory: '2m' } }]);
    const inBase = (name: string) => path.join(scene().haproxy.baseDir, name);
    const begin = async () => {
      const { talk, site, echo } = scene();
      const here = site({ app: [{ name: 'a', port: await echo('one') }] });
      const files = siteFiles(here, { '/': 'app' });
      expect((await talk.reload(files)).body).toMatchObject({ ok: true });
      return { here, files };
    };
    const unchanged = async (files: Record<string, string>) => {
      for (const [name, text] of Object.entries(files))
        expect(await readFile(inBase(name), 'utf8')).toBe(text);
      const state = await scene().harness.state();
      expect(state).toMatchObject({ applied_plan_id: 'plan-1', running_plan_id: 'plan-1' });
    };

    it.each([
      ['in memory', 3 * 1024 * 1024],
      ['in a stream', 5 * 1024 * 1024],
    ])('refuses what does not fit, taken in %s, and has everything as it was', async (_how, size) => {
      const { here, files } = await begin();
      const { talk, haproxy } = scene();
      const before = await filesBelow(inBase('.'));
      const big = { ...files, 'maps/path.map': '/new app\n', 'big.txt': 'x'.repeat(size) };
      const reply = await talk.reload(big);
      expect(reply).toMatchObject({ status: 500, body: { stage: 'write' } });
      expect(reply.body.message).toContain('ENOSPC');
      await unchanged(files);
      expect(await filesBelow(inBase('.'))).toEqual(before);
      expect(await haproxy.reloads()).toBe(1);
      expect((await visit(here, '/')).body).toBe('one');
      expect((await talk.reload({ ...files, 'maps/path.map': '/new app\n' })).body).toMatchObject({
        ok: true,
      });
    });

    it('refuses everything while there is no room for its own record', async () => {
      const { here, files } = await begin();
      const { talk, haproxy } = scene();
      await writeFile(inBase('foreign.bin'), Buffer.alloc(4 * 1024 * 1024)).catch(() => undefined);
      const next = { ...files, 'maps/path.map': '/new app\n' };
      const reply = await talk.runtime(next, [
        { kind: 'map_add', path: 'maps/path.map', key: '/new', value: 'app' },
      ]);
      expect(reply).toMatchObject({ status: 500, body: { stage: 'write' } });
      await unchanged(files);
      expect(await haproxy.cli('show map maps/path.map')).not.toContain('/new');
      expect(await haproxy.reloads()).toBe(1);
      await rm(inBase('foreign.bin'));
      expect((await talk.reload(next)).body).toMatchObject({ ok: true });
      expect((await visit(here, '/new')).body).toBe('one');
    });

    it('refuses everything while the volume is read-only, and goes on afterwards', async () => {
      const { here, files } = await begin();
      const { talk, haproxy } = scene();
      const next = { ...files, 'maps/path.map': '/new app\n' };
      await volumes().remount('.', 'ro');
      try {
        const ops = [{ kind: 'map_add', path: 'maps/path.map', key: '/new', value: 'app' }] as const;
        for (const reply of [await talk.runtime(next, ops), await talk.reload(next)])
          expect(reply).toMatchObject({ status: 500, body: { stage: 'write' } });
        await unchanged(files);
        expect(await haproxy.cli('show map maps/path.map')).not.toContain('/new');
        expect((await visit(here, '/')).body).toBe('one');
      } finally {
        await volumes().remount('.', 'rw');
      }
      expect((await talk.reload(next)).body).toMatchObject({ ok: true });
      expect(await haproxy.reloads()).toBe(2);
    });
  });

  describe('have symbolic links among them', () => {
    const scene = useAgentScene(line);
    const inBase = (name: string) => path.join(scene().haproxy.baseDir, name);

    it('follows none out of its folder, neither to write nor to remove', async () => {
      const { talk, site, echo, haproxy } = scene();
      const outside = await mkdtemp(path.join(tmpdir(), 'haptic-outside-'));
      try {
        const here = site({ app: [{ name: 'a', port: await echo('one') }] });
        const files = { ...siteFiles(here, { '/': 'app' }), 'notes/a.txt': 'a', 'link.txt': 'mine' };
        expect((await talk.reload(files)).body).toMatchObject({ ok: true });
        await rm(inBase('notes'), { recursive: true });
        await writeFile(path.join(outside, 'a.txt'), 'a');
        await symlink(outside, inBase('notes'));
        await symlink(path.join(outside, 'new'), inBase('dangling'));
        const { 'notes/a.txt': _removed, ...without } = files;
        for (const next of [
          without,
          { ...files, 'notes/b.txt': 'b' },
          { ...files, 'notes/deep/b.txt': 'b' },
          { ...files, 'dangling/b.txt': 'b' },
        ]) {
          const reply = await talk.reload(next);
          expect(reply).toMatchObject({ status: 500, body: { stage: 'write' } });
        }
        expect(await readdir(outside)).toEqual(['a.txt']);
        expect(await haproxy.reloads()).toBe(1);
        // A link in a file's place is replaced itself.
        await rm(inBase('notes'));
        await mkdir(inBase('notes'));
        await rm(inBase('link.txt'));
        await symlink(path.join(outside, 'a.txt'), inBase('link.txt'));
        expect((await talk.reload({ ...without, 'link.txt': 'changed' })).body).toMatchObject({ ok: true });
        expect((await lstat(inBase('link.txt'))).isFile()).toBe(true);
        expect(await readFile(path.join(outside, 'a.txt'), 'utf8')).toBe('a');
        expect((await visit(here, '/')).body).toBe('one');
      } finally {
        await rm(outside, { recursive: true });
      }
    });
  });
});
