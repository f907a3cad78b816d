import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApplyPart } from '../../../src/agent/apply/apply-parts.ts';
import { stageParts } from '../../../src/agent/apply/stage-parts.ts';
import { createHeldFiles, type HeldFile } from '../../../src/agent/files/held-files.ts';
import { createStagingArea } from '../../../src/agent/files/staging-area.ts';
import { digest } from '../../../src/lib/digest.ts';
import { limits } from '../../../src/protocol/limits.ts';
import type { ApplyManifest, ManifestFile } from '../../../src/protocol/wire.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'haptic-stage-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const entry = (name: string, bytes: Buffer, more: Partial<ManifestFile> = {}): ManifestFile => ({
  path: name,
  digest: digest(bytes),
  proof: digest(bytes),
  size: bytes.length,
  kind: 'map',
  reload_on_change: false,
  ...more,
});
const held = (files: Record<string, Buffer>) =>
  createHeldFiles(
    folder,
    new Map(
      Object.entries(files).map(([name, bytes]): [string, HeldFile] => [
        name,
        { digest: digest(bytes), proof: digest(bytes), size: bytes.length, kind: 'map' },
      ]),
    ),
  );
const manifest = (...files: ManifestFile[]) => ({ files }) as unknown as ApplyManifest;
const changes = (files: ManifestFile[], removed: string[] = []) => ({
  ...manifest(...files),
  removed_files: removed,
});
async function* parts(files: Record<string, Buffer>): AsyncGenerator<ApplyPart> {
  for (const [name, bytes] of Object.entries(files)) {
    const content = Readable.from(bytes.length === 0 ? [] : [bytes]) as never;
    yield await Promise.resolve({ kind: 'file', path: name, content });
  }
}
const stage = (wanted: ApplyManifest, sent: Record<string, Buffer>, before: Record<string, Buffer> = {}) =>
  stageParts(wanted, parts(sent), held(before), createStagingArea(folder));

describe('parts of an apply', () => {
  it('give the new content by patch, for any two contents and any common ends', async () => {
    const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
    await fc.assert(
      fc.asyncProperty(bytes, bytes, bytes, bytes, async (head, from, to, tail) => {
        const before = Buffer.concat([head, from, tail]);
        const after = Buffer.concat([head, to, tail]);
        await writeFile(path.join(folder, 'a.map'), before);
        const patch = {
          base_digest: digest(before),
          base_size: before.length,
          offset: head.length,
          length: from.length,
        };
        const staging = await stage(
          manifest(entry('a.map', after, { patch })),
          { 'a.map': to },
          { 'a.map': before },
        );
        if (staging.kind !== 'staged') throw new Error('a part is missing');
        const sources = staging.set.staged.map((file) => file.source);
        const { base_digest: hash, base_size: size, offset, length } = patch;
        const change = { base: { digest: hash, size }, offset, length, bytes: to };
        expect(sources).toEqual(before.equals(after) ? [] : [{ bytes: after, patch: change }]);
      }),
    );
  });

  it('need no bytes for a file that is held with the same proof, digest, size and kind', async () => {
    const bytes = Buffer.from('k v\n');
    const same = entry('a.map', bytes);
    expect(await stage(manifest(same), {}, { 'a.map': bytes })).toMatchObject({
      kind: 'staged',
      set: { staged: [] },
    });
    const changed: Partial<ManifestFile>[] = [
      { proof: 'f'.repeat(16) },
      { digest: 'f'.repeat(16) },
      { size: 5 },
      { kind: 'cert' },
      { proof: '' },
    ];
    for (const more of changed)
      expect(await stage(manifest({ ...same, ...more }), {}, { 'a.map': bytes })).toEqual({
        kind: 'missing',
        paths: ['a.map'],
      });
  });

  it('answer a patch as missing when the base on disk is not what it was', async () => {
    const before = Buffer.from('k v\n');
    const after = Buffer.from('k w\n');
    await writeFile(path.join(folder, 'a.map'), 'tampered');
    const patch = { base_digest: digest(before), base_size: 4, offset: 2, length: 1 };
    const staging = await stage(
      manifest(entry('a.map', after, { patch })),
      { 'a.map': Buffer.from('w') },
      { 'a.map': before },
    );
    expect(staging).toEqual({ kind: 'missing', paths: ['a.map'] });
  });

  it('refuse a patch that does not give the promised content', async () => {
    const before = Buffer.from('k v\n');
    await writeFile(path.join(folder, 'a.map'), before);
    const patch = { base_digest: digest(before), base_size: 4, offset: 2, length: 1 };
    const wanted = manifest(entry('a.map', Buffer.from('k w\n'), { patch }));
    await expect(stage(wanted, { 'a.map': Buffer.from('x') }, { 'a.map': before })).rejects.toThrow(
      'has digest',
    );
    await expect(stage(wanted, { 'a.map': Buffer.from('') }, { 'a.map': before })).rejects.toThrow('length');
    await expect(stage(wanted, { 'a.map': Buffer.from('wx') }, { 'a.map': before })).rejects.toThrow(
      'more than 1',
    );
  });

  it('go to a staging file when they are large, verified all the same', async () => {
    const large = Buffer.alloc(6 * 1024 * 1024, 'large ');
    const staging = await stage(manifest(entry('big', large)), { big: large });
    if (staging.kind !== 'staged') throw new Error('a part is missing');
    const source = staging.set.staged[0]?.source;
    if (source === undefined || !('tempPath' in source)) throw new Error('it is in memory');
    expect(source.tempPath).toContain('.haptic-tmp');
    expect((await readFile(source.tempPath)).equals(large)).toBe(true);
    const wrong = { ...entry('big', large), digest: 'f'.repeat(16) };
    await expect(stage(manifest(wrong), { big: large })).rejects.toThrow('has digest');
  });

  it('leave all other files as they are where the manifest says what changes', async () => {
    const [one, two, three] = ['1', '2', '3'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer];
    const before = { 'a.map': one, 'b.map': two, 'c.map': three };
    const wanted = changes([entry('b.map', three), entry('d.map', one)], ['c.map', 'nowhere.map']);
    const staging = await stage(wanted, { 'b.map': three, 'd.map': one }, before);
    if (staging.kind !== 'staged') throw new Error('a part is missing');
    expect(staging.set.staged.map(({ path: name }) => name)).toEqual(['b.map', 'd.map']);
    const after = [...staging.set.files].map(([name, { digest: hash }]) => [name, hash]);
    expect(after).toEqual([
      ['a.map', digest(one)],
      ['b.map', digest(three)],
      ['d.map', digest(one)],
    ]);
    expect(await stage(changes([entry('d.map', one)]), {}, before)).toEqual({
      kind: 'missing',
      paths: ['d.map'],
    });
  });

  it('are asked for where a file is not trusted, though nothing of it changes', async () => {
    const files = held({ 'a.map': Buffer.from('1'), 'b.map': Buffer.from('2'), 'c.map': Buffer.from('3') });
    files.distrust(['a.map', 'c.map']);
    const changed = entry('b.map', Buffer.from('4'));
    const sent = () => parts({ 'b.map': Buffer.from('4') });
    const area = createStagingArea(folder);
    expect(await stageParts(changes([changed]), sent(), files, area)).toEqual({
      kind: 'missing',
      paths: ['a.map', 'c.map'],
    });
    const gone = await stageParts(changes([changed], ['a.map', 'c.map']), sent(), files, area);
    expect(gone.kind === 'staged' && [...gone.set.files.keys()]).toEqual(['b.map']);
  });

  it('are no more files than an agent takes', async () => {
    const bytes = Buffer.from('1');
    const before = Object.fromEntries(
      Array.from({ length: limits.files }, (_, at) => [`${String(at)}.map`, bytes]),
    );
    const more = changes([entry('more.map', bytes)]);
    await expect(stage(more, { 'more.map': bytes }, before)).rejects.toThrow('more than 32768 files');
    expect(
      await stage(changes([entry('more.map', bytes)], ['7.map']), { 'more.map': bytes }, before),
    ).toMatchObject({ kind: 'staged' });
  });

  it('keep the identity of a set that did not change', async () => {
    const bytes = Buffer.from('k v\n');
    const files = held({ 'a.map': bytes });
    const staging = await stageParts(
      manifest(entry('a.map', bytes)),
      parts({}),
      files,
      createStagingArea(folder),
    );
    expect(staging.kind === 'staged' && staging.set.files).toBe(files.all());
    const nothing = await stageParts(changes([]), parts({}), files, createStagingArea(folder));
    expect(nothing.kind === 'staged' && nothing.set.files).toBe(files.all());
  });
});

describe('held files', () => {
  it('are found to differ from the disk, and then need their bytes again', async () => {
    const bytes = Buffer.from('k v\n');
    await writeFile(path.join(folder, 'a.map'), bytes);
    const files = held({ 'a.map': bytes, 'b.map': bytes });
    expect(await files.content('a.map')).toEqual(bytes);
    expect(await files.verify()).toEqual(['b.map']);
    await writeFile(path.join(folder, 'a.map'), 'tampered');
    expect(await files.verify()).toEqual(['a.map', 'b.map']);
    expect(await files.content('a.map')).toBeUndefined();
    expect([...files.all().values()].map((file) => file.proof)).toEqual(['', '']);
  });
});
