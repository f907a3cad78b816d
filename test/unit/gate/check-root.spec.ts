import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { firstValueFrom, NEVER, of, tap, throwError } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { checkRootsIn } from '../../../src/gate/check-root.ts';
import { eventually } from '../../fixtures/haproxy-process.ts';
import { makePlan } from '../../fixtures/make-plan.ts';

const plan = makePlan({
  core: { global: 'global\n  default-path origin /etc/haproxy\n  maxconn 7\n', web: 'frontend ä\n' },
  backends: { shop: { comment: 'default-path origin /etc/other' } },
  maps: { 'maps/host.map': { entries: [['a.example', 'shop']] } },
  files: { 'general/deep/503.http': { text: 'gone' }, 'secret.pem': { text: 'key', kind: 'cert' } },
});

describe('checkRootsIn', () => {
  let dir = '';
  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'haptic-test-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));
  const emptied = () =>
    eventually('the folder goes', () => (readdirSync(dir).length === 0 ? true : undefined));

  it('holds every file of the plan for as long as it is used', async () => {
    const read = (root: string) => (name: string) => readFileSync(path.join(root, name), 'utf8');
    const texts = await firstValueFrom(
      checkRootsIn(dir)(plan, (root) =>
        of(['maps/host.map', 'general/deep/503.http', 'secret.pem'].map(read(root))),
      ),
    );
    expect(texts).toEqual(['a.example shop\n', 'gone', 'key']);
    await emptied();
  });

  it('points default-path origin of core sections to itself, and changes nothing else', async () => {
    const seen = { root: '' };
    const config = await firstValueFrom(
      checkRootsIn(dir)(plan, (root) =>
        of(readFileSync(path.join(root, 'haproxy.cfg'), 'utf8')).pipe(tap(() => (seen.root = root))),
      ),
    );
    expect(config).toBe(
      `global\n  default-path origin ${seen.root}\n  maxconn 7\nfrontend ä\nbackend shop from std\n  # default-path origin /etc/other\n  mode http\n`,
    );
    await emptied();
  });

  it('takes the bytes as they are where no default-path is set', async () => {
    const plain = makePlan({ core: { global: 'global\n' } });
    const text = await firstValueFrom(
      checkRootsIn(dir)(plain, (root) => of(readFileSync(path.join(root, 'haproxy.cfg'), 'utf8'))),
    );
    expect(text).toBe('global\n');
    await emptied();
  });

  it('gives the event loop its turns while it looks through a large configuration', async () => {
    const backends = Object.fromEntries(Array.from({ length: 4_000 }, (_, n) => [`b${n}`, {}]));
    const large = makePlan({ core: { global: 'global\n  default-path origin /x\n' }, backends });
    // By this clock each slice is used up at once.
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 10));
    let turns = 0;
    const turn = (): void => {
      turns++;
      next = setImmediate(turn);
    };
    let next = setImmediate(turn);
    await firstValueFrom(checkRootsIn(dir)(large, (root) => of(root)));
    clearImmediate(next);
    vi.restoreAllMocks();
    expect(turns).toBeGreaterThan(25);
    await emptied();
  });

  it('is for the eyes of its owner only', async () => {
    const modes = await firstValueFrom(
      checkRootsIn(dir)(plan, (root) =>
        of(['', 'maps', 'secret.pem'].map((name) => statSync(path.join(root, name)).mode & 0o777)),
      ),
    );
    expect(modes).toEqual([0o700, 0o700, 0o600]);
    await emptied();
  });

  it('goes when nobody waits any more while it is written', async () => {
    checkRootsIn(dir)(plan, () => NEVER)
      .subscribe()
      .unsubscribe();
    await emptied();
  });

  it('goes when nobody waits any more while it is used', async () => {
    const used = { count: 0 };
    const sub = checkRootsIn(dir)(plan, () => {
      used.count++;
      return NEVER;
    }).subscribe();
    await eventually('it is used', () => (used.count > 0 ? true : undefined));
    sub.unsubscribe();
    await emptied();
  });

  it('goes when the use of it fails', async () => {
    const failing = checkRootsIn(dir)(plan, () => throwError(() => new Error('no')));
    await expect(firstValueFrom(failing)).rejects.toThrow('no');
    await emptied();
  });

  it('takes away what a killed process left behind, and nothing of a living one', async () => {
    const gone = spawnSync(process.execPath, ['-e', '']).pid;
    const names = ['1-x', `${gone}-x`, `${process.pid}-old`, `${process.pid}-new`, 'notes'];
    for (const name of names) mkdirSync(path.join(dir, `haptic-check-${name}`, 'maps'), { recursive: true });
    mkdirSync(path.join(dir, 'other'));
    utimesSync(path.join(dir, `haptic-check-${process.pid}-old`), 1000, 1000);
    await firstValueFrom(checkRootsIn(dir)(plan, (root) => of(root)));
    await eventually('its own goes', () => (readdirSync(dir).length === 4 ? true : undefined));
    expect(readdirSync(dir).sort()).toEqual(
      ['haptic-check-1-x', `haptic-check-${process.pid}-new`, 'haptic-check-notes', 'other'].sort(),
    );
  });

  it('errors with the words of the file system', async () => {
    const nowhere = checkRootsIn(path.join(dir, 'none'))(plan, (root) => of(root));
    await expect(firstValueFrom(nowhere)).rejects.toThrow('ENOENT');
  });
});
