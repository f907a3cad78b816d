import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { compareVersions, findHaproxy } from '../../../src/sandbox/runtime/find-haproxy.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'haptic-find-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function binary(path: string, output: string): string {
  const file = join(folder, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, `#!/bin/sh\necho '${output}'\n`);
  chmodSync(file, 0o755);
  return file;
}
const haproxy = (path: string, version: string) =>
  binary(path, `HAProxy version ${version} 2026/01/01 - https://haproxy.org/`);
const search = () => ({
  lineFolders: [join(folder, 'lines'), join(folder, 'none')],
  searchPath: join(folder, 'bin'),
});

describe('findHaproxy', () => {
  test('takes the newest of all that it finds', async () => {
    haproxy('lines/3.2/haproxy', '3.2.26-1');
    const newest = haproxy('lines/3.10/haproxy', '3.10.1-1');
    haproxy('lines/3.4/haproxy', '3.4.7-1');
    haproxy('bin/haproxy', '2.6.12-1+deb12u3');
    expect(await findHaproxy(search())).toStrictEqual({ path: newest, version: '3.10.1-1' });
  });

  test('takes the one on PATH when it is newer', async () => {
    haproxy('lines/2.6/haproxy', '2.6.12-1');
    const onPath = haproxy('bin/haproxy', '3.0.11-1');
    expect((await findHaproxy(search())).path).toBe(onPath);
  });

  test('takes the one asked for, however old', async () => {
    haproxy('lines/3.4/haproxy', '3.4.7-1');
    const old = haproxy('old/haproxy', '2.6.1');
    expect(await findHaproxy({ ...search(), explicit: old })).toStrictEqual({ path: old, version: '2.6.1' });
  });

  test('passes over what does not run or is something else', async () => {
    binary('lines/9.9/haproxy', 'nginx version 9.9');
    writeFileSync(join(folder, 'lines', 'README'), '');
    mkdirSync(join(folder, 'lines', '8.8'));
    writeFileSync(join(folder, 'lines', '8.8', 'haproxy'), 'no program');
    const good = haproxy('lines/2.6/haproxy', '2.6.12');
    expect((await findHaproxy(search())).path).toBe(good);
  });

  test('without any says where it looked', async () => {
    await expect(findHaproxy(search())).rejects.toMatchObject({
      code: 'HAPTIC_ERR_SANDBOX_HAPROXY',
      message: expect.stringContaining(join(folder, 'lines')) as string,
    });
  });

  test('does not fall back when the one asked for does not run', async () => {
    haproxy('bin/haproxy', '3.0.11-1');
    await expect(findHaproxy({ ...search(), explicit: join(folder, 'nope') })).rejects.toMatchObject({
      code: 'HAPTIC_ERR_SANDBOX_HAPROXY',
      message: expect.stringContaining('nope') as string,
    });
  });
});

test.each([
  ['3.4.7-1', '3.2.26-1', 1],
  ['3.10.0', '3.9.9', 1],
  ['2.6.12', '2.6.12-1+deb12u3', -1],
  ['3.4.7', '3.4.7', 0],
])('%s against %s: %i', (a, b, expected) => {
  expect(Math.sign(compareVersions(a, b))).toBe(expected);
});
