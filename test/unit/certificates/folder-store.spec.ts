import { mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderStore } from '../../../src/certificates/folder-store.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'haptic-store-'));
});
afterEach(() => rm(root, { recursive: true }));

const at = (...parts: string[]) => path.join(root, 'server', ...parts);

describe('certificates in a folder', () => {
  it('are nothing where nothing was written', async () => {
    expect(await folderStore(root).read('server')).toBeUndefined();
    expect(await folderStore(path.join(root, 'none')).read('issuer')).toBeUndefined();
  });

  it('are read as they were written, and through links by their names', async () => {
    const store = folderStore(root);
    expect(await store.write('server', { 'tls.crt': 'a', 'tls.key': 'b' }, undefined)).toBe(true);
    const held = await store.read('server');
    expect(held).toEqual({ files: { 'tls.crt': 'a', 'tls.key': 'b' }, revision: '1' });
    expect(await readFile(at('tls.key'), 'utf8')).toBe('b');
    expect(await readFile(at('..data', 'tls.crt'), 'utf8')).toBe('a');
  });

  it('are for their owner only', async () => {
    await folderStore(root).write('server', { 'tls.key': 'b' }, undefined);
    expect((await stat(at())).mode & 0o777).toBe(0o700);
    expect((await stat(at('..rev-1'))).mode & 0o777).toBe(0o700);
    expect((await stat(at('tls.key'))).mode & 0o777).toBe(0o600);
  });

  it('are exchanged as a whole, and names come and go', async () => {
    const store = folderStore(root);
    await store.write('server', { a: '1', b: '1' }, undefined);
    await store.write('server', { b: '2', c: '2' }, '1');
    expect((await readdir(at())).filter((name) => !name.startsWith('..')).sort()).toEqual(['b', 'c']);
    expect(await readlink(at('..data'))).toBe('..rev-2');
    for (let revision = 2; revision < 8; revision++)
      expect(await store.write('server', { b: String(revision + 1) }, String(revision))).toBe(true);
    const left = (await readdir(at())).filter((name) => name.startsWith('..rev'));
    expect(left.sort()).toEqual(['..rev-7', '..rev-8']);
  });

  it('refuse a write that was based on another one', async () => {
    const store = folderStore(root);
    expect(await store.write('server', { a: '1' }, undefined)).toBe(true);
    expect(await store.write('server', { a: 'x' }, undefined)).toBe(false);
    expect(await store.write('server', { a: '2' }, '1')).toBe(true);
    expect(await store.write('server', { a: 'x' }, '1')).toBe(false);
    expect(await readFile(at('a'), 'utf8')).toBe('2');
    expect((await readdir(at())).filter((name) => name.startsWith('..draft'))).toEqual([]);
  });

  it('let one of many writers at a time win', async () => {
    const store = folderStore(root);
    for (let round = 0; round < 10; round++) {
      const revision = (await store.read('server'))?.revision;
      const results = await Promise.all(
        Array.from({ length: 8 }, (_, i) => store.write('server', { a: `${round}.${i}` }, revision)),
      );
      expect(results.filter(Boolean)).toHaveLength(1);
      expect(await readFile(at('a'), 'utf8')).toBe(`${round}.${results.indexOf(true)}`);
    }
  });

  it('show the newest revision though its writer was killed before it could', async () => {
    const store = folderStore(root);
    await store.write('server', { a: '1' }, undefined);
    await mkdir(at('..rev-2'));
    expect(await store.read('server')).toEqual({ files: {}, revision: '2' });
    await store.write('server', { a: '3' }, '2');
    expect(await readFile(at('a'), 'utf8')).toBe('3');
  });

  it('sweep up what killed writers left, not what others are writing', async () => {
    const store = folderStore(root);
    await mkdir(at('..draft-old'), { recursive: true });
    await utimes(at('..draft-old'), 0, 0);
    await mkdir(at('..draft-new'));
    await store.write('server', { a: '1' }, undefined);
    expect((await readdir(at())).filter((name) => name.startsWith('..draft'))).toEqual(['..draft-new']);
  });
});
