import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFilePool } from '../../../src/agent/files/file-pool.ts';
import type { FilePatch } from '../../../src/agent/files/file-patch.ts';
import type { HeldFile } from '../../../src/agent/files/held-files.ts';
import { keepPromised } from '../../../src/agent/files/keep-promised.ts';
import { requireRoom } from '../../../src/agent/files/require-room.ts';
import { createStagingArea, type StagingArea } from '../../../src/agent/files/staging-area.ts';
import { writePatched } from '../../../src/agent/files/write-patched.ts';
import { digest } from '../../../src/lib/digest.ts';

let baseDir: string;
let area: StagingArea;
beforeEach(async () => {
  baseDir = await mkdtemp(path.join(tmpdir(), 'haptic-patched-'));
  area = createStagingArea(baseDir);
});
afterEach(() => rm(baseDir, { recursive: true, force: true }));

const name = 'a.map';
const put = async (file: string, content: string | Buffer) => {
  await mkdir(path.dirname(path.join(baseDir, file)), { recursive: true });
  await writeFile(path.join(baseDir, file), content);
};
const held = (bytes: Buffer | string): HeldFile => ({
  digest: digest(Buffer.from(bytes)),
  proof: '',
  size: Buffer.byteLength(bytes),
  kind: 'map',
});
const patchOf = (head: Buffer, from: Buffer, to: Buffer, tail: Buffer): FilePatch => {
  const { digest: hash, size } = held(Buffer.concat([head, from, tail]));
  return { base: { digest: hash, size }, offset: head.length, length: from.length, bytes: to };
};
const laidOut = async (wanted: HeldFile, patch: FilePatch) => {
  const pool = await openFilePool(area);
  await writePatched({ baseDir, area, pool }, new Map([[name, wanted]]), new Map([[name, patch]]));
  const found = pool.find(wanted);
  return found === undefined ? undefined : readFile(found);
};

describe('a content that is on record as a patch', () => {
  it('becomes a file, from the former one in its place or in the pool', async () => {
    const bytes = fc.uint8Array({ maxLength: 60 }).map((array) => Buffer.from(array));
    const place = fc.constantFrom(name, '.haptic-lkg/config');
    await fc.assert(
      fc.asyncProperty(bytes, bytes, bytes, bytes, place, async (head, from, to, tail, where) => {
        await rm(baseDir, { recursive: true, force: true });
        await mkdir(baseDir);
        area = createStagingArea(baseDir);
        await put(name, 'an image’s');
        await put(where, Buffer.concat([head, from, tail]));
        const next = Buffer.concat([head, to, tail]);
        expect(await laidOut(held(next), patchOf(head, from, to, tail))).toEqual(next);
        expect(await readFile(path.join(baseDir, where))).toEqual(Buffer.concat([head, from, tail]));
      }),
      { numRuns: 40 },
    );
  });

  const [head, from, to, tail] = ['head ', 'from', 'to', ' tail'].map((text) => Buffer.from(text)) as [
    Buffer,
    Buffer,
    Buffer,
    Buffer,
  ];
  const patch = patchOf(head, from, to, tail);
  it('is left out where its base is another, or it is not what its digest says', async () => {
    await put(name, 'head fram tail');
    expect(await laidOut(held('head to tail'), patch)).toBeUndefined();
    await rm(path.join(baseDir, name));
    expect(await laidOut(held('head to tail'), patch)).toBeUndefined();
    await put(name, 'head from tail');
    expect(await laidOut(held('head ot tail'), patch)).toBeUndefined();
    expect(await laidOut({ ...held('head to tail'), size: 3 }, patch)).toBeUndefined();
    expect(await laidOut(held('head to tail'), { ...patch, length: 900 })).toBeUndefined();
    expect(await laidOut(held('head to tail'), patch)).toEqual(Buffer.from('head to tail'));
  });
});

describe('links that the journal promises', () => {
  const link = '.haptic-lkg/l-1';
  const keep = async (entry: HeldFile | undefined) => {
    const pool = await openFilePool(area);
    const journal = new Map([
      [name, { kind: 'modified' as const, link, ...(entry !== undefined && { held: entry }) }],
    ]);
    await keepPromised(
      { baseDir, area, pool },
      journal,
      new Map([[name, { kind: 'content', held: held('new') }]]),
    );
    return readFile(path.join(baseDir, link), 'utf8').catch(() => undefined);
  };

  it.each([
    ['from the place of the path', { [name]: 'old' }, held('old'), 'old'],
    ['of a file that the agent did not own', { [name]: 'foreign' }, undefined, 'foreign'],
    [
      'from the pool, where others wrote over it',
      { [name]: 'image', '.haptic-lkg/config': 'old' },
      held('old'),
      'old',
    ],
    ['not again', { [name]: 'old', [link]: 'older' }, held('older'), 'older'],
    ['not of what is new already', { [name]: 'new' }, held('old'), undefined],
    ['not of strange content', { [name]: 'edited' }, held('old'), undefined],
  ])('are made %s', async (_what, files, entry, expected) => {
    for (const [file, text] of Object.entries(files)) await put(file, text);
    expect(await keep(entry)).toBe(expected);
  });
});

describe('room on the disk', () => {
  const staged = (size: number) => ({
    path: 'deep/a.map',
    held: { ...held(''), size },
    source: { bytes: Buffer.alloc(0) },
  });
  it('is asked for before an answer says that files are safe', async () => {
    await put('deep/a.map', '');
    expect(() => requireRoom(baseDir, [staged(10)])).not.toThrow();
    expect(() => requireRoom(baseDir, [staged(2 ** 50)])).toThrow('no space left');
    expect(() => requireRoom(baseDir, [staged(2 ** 49), staged(2 ** 49)])).toThrow('no space left');
  });
});
