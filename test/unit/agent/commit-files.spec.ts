import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commitFiles } from '../../../src/agent/files/commit-files.ts';
import type { StagedFile } from '../../../src/agent/files/staged-file.ts';
import { createStagingArea } from '../../../src/agent/files/staging-area.ts';
import type { FileKind } from '../../../src/protocol/plan.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'haptic-commit-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const staged = (name: string, text: string, kind: FileKind = 'general'): StagedFile => ({
  path: name,
  held: { digest: '0'.repeat(16), proof: '', size: text.length, kind },
  source: { bytes: Buffer.from(text) },
});
const put = async (name: string, text: string) => {
  await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
  await writeFile(path.join(folder, name), text);
};
const tree = async (): Promise<Record<string, string>> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const pairs = files.map(
    async (file) => [path.relative(folder, file), await readFile(file, 'utf8')] as const,
  );
  return Object.fromEntries((await Promise.all(pairs)).sort());
};
const change = (files: StagedFile[], removed: string[] = []) => ({
  baseDir: folder,
  staging: createStagingArea(folder),
  staged: files,
  removed,
  last: 'haproxy.cfg',
});

describe('files put in place', () => {
  it('are there with their modes, and what is removed is gone', async () => {
    await put('old.map', 'old');
    const committed = await commitFiles(
      change(
        [staged('haproxy.cfg', 'new', 'config'), staged('certs/a.pem', 'key', 'cert')],
        ['old.map', 'never'],
      ),
    );
    await committed.keep();
    expect(await tree()).toEqual({ 'haproxy.cfg': 'new', 'certs/a.pem': 'key' });
    expect((await stat(path.join(folder, 'certs/a.pem'))).mode & 0o777).toBe(0o600);
    expect((await stat(path.join(folder, 'haproxy.cfg'))).mode & 0o777).toBe(0o644);
    expect((await stat(path.join(folder, 'certs'))).mode & 0o777).toBe(0o755);
  });

  it('may come from a staging file', async () => {
    const staging = createStagingArea(folder);
    const tempPath = await staging.pathFor('big.bin');
    await writeFile(tempPath, 'streamed', { mode: 0o600 });
    const file: StagedFile = { ...staged('big.bin', ''), source: { tempPath } };
    await (await commitFiles({ ...change([file]), staging })).keep();
    expect(await tree()).toEqual({ 'big.bin': 'streamed' });
    expect((await stat(path.join(folder, 'big.bin'))).mode & 0o777).toBe(0o644);
  });

  it('do not share a file with what they replaced', async () => {
    await put('haproxy.cfg', 'old');
    const before = (await stat(path.join(folder, 'haproxy.cfg'))).ino;
    const committed = await commitFiles(change([staged('haproxy.cfg', 'new', 'config')]));
    expect((await stat(path.join(folder, 'haproxy.cfg'))).ino).not.toBe(before);
    await committed.undo();
    expect((await stat(path.join(folder, 'haproxy.cfg'))).ino).toBe(before);
  });

  it.each([
    ['from what is at hand, whatever is in its place by now', 'image', Buffer.from('old')],
    ['from its place', 'old', undefined],
  ])('keep a former configuration as a file of its own, %s', async (_how, inPlace, lastBytes) => {
    await put('haproxy.cfg', inPlace);
    await put('.haptic-lkg/other', '');
    const former = (await stat(path.join(folder, 'haproxy.cfg'))).ino;
    const link = '.haptic-lkg/x-1';
    const journal = new Map([['haproxy.cfg', { kind: 'modified', link } as const]]);
    const files = [staged('haproxy.cfg', 'new', 'config')];
    const committed = await commitFiles({ ...change(files), journal, lastBytes });
    expect(await tree()).toMatchObject({ 'haproxy.cfg': 'new', [link]: 'old' });
    expect((await stat(path.join(folder, link))).ino).not.toBe(former);
    await committed.undo();
    expect(await tree()).toEqual({ 'haproxy.cfg': 'old', '.haptic-lkg/other': '' });
    expect((await stat(path.join(folder, 'haproxy.cfg'))).mode & 0o777).toBe(0o644);
  });

  it.each(['a-blocked', 'z-blocked', 'deep/er/blocked'])(
    'are all as before when one cannot be: %s',
    async (blocked) => {
      await put('haproxy.cfg', 'old config');
      await put('maps/a.map', 'old map');
      await put('gone', 'still here');
      await put(`${blocked}/inside`, 'in the way');
      const before = await tree();
      const attempt = commitFiles(
        change(
          [
            staged('haproxy.cfg', 'new config', 'config'),
            staged('maps/a.map', 'new map', 'map'),
            staged('maps/b.map', 'new map', 'map'),
            staged(blocked, 'new'),
          ],
          ['gone'],
        ),
      );
      await expect(attempt).rejects.toThrow();
      await createStagingArea(folder).clear();
      expect(await tree()).toEqual(before);
    },
  );

  it('are undone exactly, whatever was changed', async () => {
    const name = fc.constantFrom('haproxy.cfg', 'maps/a.map', 'maps/b.map', 'certs/c.pem');
    const files = fc.dictionary(name, fc.string({ maxLength: 20 }));
    await fc.assert(
      fc.asyncProperty(files, files, async (before, after) => {
        await rm(folder, { recursive: true, force: true });
        await mkdir(folder);
        for (const [file, text] of Object.entries(before)) await put(file, text);
        const removed = Object.keys(before).filter((file) => !(file in after));
        const committed = await commitFiles(
          change(
            Object.entries(after).map(([file, text]) => staged(file, text)),
            removed,
          ),
        );
        const reached = await tree();
        for (const [file, text] of Object.entries(after)) expect(reached[file]).toBe(text);
        for (const file of removed) expect(reached).not.toHaveProperty([file]);
        await committed.undo();
        await createStagingArea(folder).clear();
        expect(await tree()).toEqual(Object.fromEntries(Object.entries(before).sort()));
      }),
      { numRuns: 60 },
    );
  });
});

describe('the staging folder', () => {
  it('gives every file a name of its own and is emptied, also of what an earlier process left', async () => {
    const staging = createStagingArea(folder);
    const names = await Promise.all([staging.pathFor('a'), staging.pathFor('a'), staging.pathFor('d/b')]);
    expect(new Set(names).size).toBe(3);
    await writeFile(names[0], 'x');
    await put('general/.haptic-tmp/left', 'behind');
    await createStagingArea(folder).clear();
    expect(await tree()).toEqual({});
    await writeFile(await staging.pathFor('a').then(() => path.join(folder, 'ok')), 'usable');
  });
});

describe('what a crash of the machine may leave', () => {
  /** The tree, without the agent's own files, whenever folders are made durable. */
  const watched = async (files: StagedFile[], removed: string[] = []) => {
    const seen: (readonly [readonly string[], Record<string, string>])[] = [];
    const committed = await commitFiles({
      ...change(files, removed),
      sync: async (_, paths) => {
        const entries = Object.entries(await tree()).filter(([name]) => !name.includes('.haptic-'));
        seen.push([[...paths].sort(), Object.fromEntries(entries)]);
      },
    });
    const before = seen.length;
    await committed.keep();
    return { before: seen.slice(0, before), after: seen.slice(before) };
  };

  it('is never a configuration that names a new file which is not there', async () => {
    await put('haproxy.cfg', 'old');
    await put('maps/known.map', 'old');
    const { before, after } = await watched([
      staged('haproxy.cfg', 'new', 'config'),
      staged('maps/new.map', 'new', 'map'),
    ]);
    expect(before).toEqual([
      [['maps/new.map'], { 'haproxy.cfg': 'old', 'maps/known.map': 'old', 'maps/new.map': 'new' }],
    ]);
    expect(after.map(([paths]) => paths)).toEqual([['haproxy.cfg']]);
  });

  it('is never a configuration that names a file which was removed', async () => {
    await put('haproxy.cfg', 'old');
    await put('maps/old.map', 'old');
    const { before, after } = await watched([staged('haproxy.cfg', 'new', 'config')], ['maps/old.map']);
    expect(before).toEqual([[['haproxy.cfg'], { 'haproxy.cfg': 'new', 'maps/old.map': 'old' }]]);
    expect(after).toEqual([[['maps/old.map'], { 'haproxy.cfg': 'new' }]]);
  });

  it('may be the old or the new content of what was replaced: nobody waits for that', async () => {
    await put('haproxy.cfg', 'old');
    await put('maps/a.map', 'old');
    const { before, after } = await watched([
      staged('haproxy.cfg', 'new', 'config'),
      staged('maps/a.map', 'new', 'map'),
    ]);
    expect(before).toEqual([]);
    expect(after).toEqual([[['haproxy.cfg', 'maps/a.map'], { 'haproxy.cfg': 'new', 'maps/a.map': 'new' }]]);
  });

  it('is the same when many files are written', async () => {
    await put('haproxy.cfg', 'old');
    const many = Array.from({ length: 9 }, (_, i) => staged(`maps/${String(i)}.map`, 'new', 'map'));
    const { before } = await watched([staged('haproxy.cfg', 'new', 'config'), ...many]);
    expect(before.map(([paths, files]) => [paths.length, files['haproxy.cfg']])).toEqual([[9, 'old']]);
  });
});
