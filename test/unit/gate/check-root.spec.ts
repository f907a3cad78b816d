import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { firstValueFrom, lastValueFrom, NEVER, of, tap, throwError } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { checkRootsIn } from '../../../src/gate/check-root.ts';
import type { Plan } from '../../../src/protocol/plan.ts';
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

  describe('that keeps one', () => {
    const keeping = () => {
      const end = { remove: (): void => undefined };
      return { end, withRoot: checkRootsIn(dir, { keep: (remove) => (end.remove = remove) }) };
    };
    const lookAt = (root: string) => {
      const names = readdirSync(root, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
      return {
        root,
        texts: Object.fromEntries(names.map((name) => [name, readFileSync(path.join(root, name), 'utf8')])),
        written: Object.fromEntries(names.map((name) => [name, statSync(path.join(root, name)).mtimeMs])),
      };
    };
    type WithRoot = ReturnType<typeof checkRootsIn>;
    const look = (withRoot: WithRoot, of_: Plan) => lastValueFrom(withRoot(of_, (root) => of(lookAt(root))));
    const planOf = (files: Record<string, string>, maxconn = 7) =>
      makePlan({
        core: { global: `global\n  default-path origin /etc/haproxy\n  maxconn ${maxconn}\n` },
        files: Object.fromEntries(Object.entries(files).map(([name, text]) => [name, { text }])),
      });

    it('writes what is other than before, and takes away what went', async () => {
      const { withRoot } = keeping();
      const first = await look(withRoot, planOf({ 'ssl/a': '1', 'ssl/b': '2', 'ssl/deep/c': '3' }));
      expect(readdirSync(dir)).toEqual([path.basename(first.root)]);
      // Whatever is written from now on is newer than that.
      for (const name of Object.keys(first.texts)) utimesSync(path.join(first.root, name), 1000, 1000);
      const second = await look(withRoot, planOf({ 'ssl/a': '1', 'ssl/b': 'two', 'ssl/d': '4' }));
      expect(second.root).toBe(first.root);
      const { 'haproxy.cfg': config, ...others } = second.texts;
      expect(config).toBe(first.texts['haproxy.cfg']);
      expect(others).toEqual({ 'ssl/a': '1', 'ssl/b': 'two', 'ssl/d': '4' });
      const old = Object.entries(second.written).flatMap(([name, at]) => (at === 1_000_000 ? [name] : []));
      expect(old.sort()).toEqual(['haproxy.cfg', 'ssl/a']);
      const third = await look(withRoot, planOf({ 'ssl/a': '1' }, 8));
      expect(third.texts['haproxy.cfg']).toContain('maxconn 8');
    });

    it('writes all of it again after one that was given up, and gives two at once a folder each', async () => {
      const { withRoot, end } = keeping();
      const one = planOf({ a: '1' });
      const first = await look(withRoot, one);
      await expect(lastValueFrom(withRoot(one, () => throwError(() => new Error('no'))))).rejects.toThrow(
        'no',
      );
      await emptied();
      const [second, third] = await Promise.all([look(withRoot, one), look(withRoot, planOf({ a: '2' }))]);
      expect(second.root).not.toBe(third.root);
      expect(new Set([first.root, second.root, third.root]).size).toBe(3);
      expect([second.texts['a'], third.texts['a']]).toEqual(['1', '2']);
      await eventually('the other one goes', () => (readdirSync(dir).length === 1 ? true : undefined));
      withRoot(planOf({ a: '3' }), () => NEVER)
        .subscribe()
        .unsubscribe();
      await emptied();
      await look(withRoot, one);
      end.remove();
      expect(readdirSync(dir)).toEqual([]);
      expect((await look(withRoot, one)).texts['a']).toBe('1');
    });

    it('is not stopped by a file in the place of a folder', async () => {
      const { withRoot } = keeping();
      await look(withRoot, planOf({ 'x/y': '1' }));
      await expect(look(withRoot, planOf({ x: '1' }))).rejects.toThrow('EISDIR');
      expect((await look(withRoot, planOf({ x: '1' }))).texts['x']).toBe('1');
    });
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
