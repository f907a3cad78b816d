import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createDeferredDeletes,
  type DeferredDeletes,
  type DeferredDeletesDeps,
} from '../../../src/agent/runtime/deferred-deletes.ts';
import { deleteKey, type DeleteTarget } from '../../../src/agent/runtime/pending-delete.ts';
import type { Keyword } from '../../../src/protocol/plan.ts';
import { infoOf, isInfo, scriptedWorker, useScriptedCli } from '../../fixtures/scripted-cli.ts';

const cli = useScriptedCli();
const busy = '[3]: Server still has connections attached to it, cannot remove it.\n';
const gone = '[6]: Server deleted.\n';
const check: Keyword = { name: 'check', args: [] };
const weight = (value: string): Keyword => ({ name: 'weight', args: [value] });
const serverOf = (server: string, keywords?: readonly Keyword[]): DeleteTarget => ({
  kind: 'server',
  backend: 'b',
  server,
  ...(keywords !== undefined && { keywords }),
});
const target = serverOf('s');

let outcomes: string[];
let now: number;
const queue = (options: Partial<DeferredDeletesDeps> = {}): DeferredDeletes =>
  createDeferredDeletes({
    socket: cli().socket,
    drainTimeoutMs: 60_000,
    now: () => now,
    onOutcome: (subject, outcome) => outcomes.push(`${deleteKey(subject)} ${outcome}`),
    ...options,
  });
/** The answer to `show stat b 2 -1`. */
const sessions = (count: number) =>
  `# pxname,svname,qcur,qmax,scur,smax,\nb,BACKEND,0,0,${String(count)},9,\n\n`;
const commands = () => cli().asked.filter((command) => !isInfo(command));
/** Answers of a HAProxy that deletes what `removable` names. */
const removing = (removable: (command: string) => boolean) => {
  cli().answer = (command) => {
    if (isInfo(command)) return infoOf();
    if (!command.startsWith('del ')) return '\n';
    return removable(command) ? gone : busy;
  };
};

beforeEach(() => {
  outcomes = [];
  now = 1_000_000;
});

describe('a server that goes', () => {
  it('is deleted at once when nothing uses it', async () => {
    removing(() => true);
    const deletes = queue();
    await deletes.add(scriptedWorker, [target]);
    expect(deletes.pending()).toEqual({ servers: [], backends: [] });
    expect(outcomes).toEqual(['b/s done']);
    deletes.stop();
  });

  it('is tried again until nothing uses it, and its sessions are left alone', async () => {
    let tries = 0;
    removing(() => ++tries >= 4);
    const deletes = queue();
    await deletes.add(scriptedWorker, [target]);
    expect(deletes.pending()).toEqual({ servers: ['b/s'], backends: [] });
    await expect.poll(() => deletes.pending().servers, { timeout: 20_000 }).toEqual([]);
    expect(commands()).toEqual(Array.from({ length: 4 }, () => 'del server b/s'));
    expect(outcomes).toEqual(['b/s deferred', 'b/s done']);
    deletes.stop();
  });

  it('loses its sessions when its time to drain is over', async () => {
    removing(() => commands().includes('shutdown sessions server b/s'));
    const deletes = queue({ drainTimeoutMs: 5_000 });
    await deletes.add(scriptedWorker, [target]);
    now += 4_999;
    await expect.poll(() => commands().length, { timeout: 20_000 }).toBe(2);
    now += 1;
    await expect.poll(() => deletes.pending().servers, { timeout: 20_000 }).toEqual([]);
    expect(commands()).toEqual([
      'del server b/s',
      'del server b/s',
      'shutdown sessions server b/s',
      'del server b/s',
    ]);
    deletes.stop();
  });

  it('is left alone, but listed, when it stays in use whatever is done', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      removing(() => false);
      const deletes = queue({ drainTimeoutMs: 0 });
      await deletes.add(scriptedWorker, [target]);
      await vi.waitFor(
        async () => {
          await vi.advanceTimersByTimeAsync(2_000);
          expect(outcomes).toContain('b/s abandoned');
        },
        { timeout: 20_000, interval: 1 },
      );
      expect(commands().filter((command) => command.startsWith('del'))).toHaveLength(30);
      expect(deletes.pending().servers).toEqual(['b/s']);
      deletes.stop();
    } finally {
      vi.useRealTimers();
    }
  });

  it('is left alone at once when HAProxy says that it cannot go', async () => {
    cli().answer = (command) =>
      isInfo(command) ? infoOf() : '[3]: This server cannot be removed at runtime due to other elements.\n';
    const deletes = queue();
    await deletes.add(scriptedWorker, [target]);
    expect(outcomes).toEqual(['b/s abandoned']);
    expect(deletes.pending().servers).toEqual(['b/s']);
    deletes.stop();
  });

  it('counts as gone when it is not there', async () => {
    cli().answer = (command) => (isInfo(command) ? infoOf() : '[3]: No such server.\n');
    const deletes = queue();
    await deletes.add(scriptedWorker, [target]);
    expect(deletes.pending().servers).toEqual([]);
    deletes.stop();
  });

  it('is not touched on another worker', async () => {
    let pid = 7;
    cli().answer = (command) => (isInfo(command) ? infoOf(pid) : busy);
    const deletes = queue();
    await deletes.add(scriptedWorker, [target]);
    pid = 8;
    await expect.poll(() => deletes.pending().servers, { timeout: 20_000 }).toEqual([]);
    expect(outcomes).toEqual(['b/s deferred', 'b/s superseded']);
    expect(commands()).toEqual(['del server b/s']);
    deletes.stop();
  });

  it('is not touched when another worker takes over just now', async () => {
    const deletes = queue();
    cli().answer = (command) => {
      if (!isInfo(command)) return busy;
      deletes.reset();
      return infoOf();
    };
    await deletes.add(scriptedWorker, [target]);
    expect(commands()).toEqual([]);
    expect(outcomes).toEqual(['b/s superseded']);
    expect(deletes.pending().servers).toEqual([]);
    deletes.stop();
  });

  it('stays pending while the answers make no sense', async () => {
    cli().answer = (command) => (isInfo(command) ? 'Name: HAProxy\n\n' : busy);
    const deletes = queue();
    await deletes.add(scriptedWorker, [target]);
    expect(commands()).toEqual([]);
    expect(deletes.pending().servers).toEqual(['b/s']);
    deletes.stop();
  });

  it('stays pending while HAProxy does not answer', async () => {
    let broken = false;
    cli().answer = (command) => (broken ? undefined : isInfo(command) ? infoOf() : busy);
    const deletes = queue();
    await deletes.add(scriptedWorker, [target]);
    broken = true;
    await expect.poll(() => cli().asked.length, { timeout: 20_000 }).toBeGreaterThan(3);
    expect(deletes.pending().servers).toEqual(['b/s']);
    deletes.stop();
  });
});

describe('on 2.6', () => {
  const heading =
    '# bkname/svname bkid/svid addr port - purge_delay used_cur used_max need_est unsafe_nb safe_nb idle_lim idle_cur idle_per_thr[2]\n';
  const row = (used: number, idle: number) =>
    `${heading}b/s 3/1 127.0.0.1 9 - 5000 ${String(used)} 0 0 0 0 -1 ${String(idle)} 0 0\n\n`;
  const old = { ...scriptedWorker, version: '2.6' };

  it('idle connections that hold on to a server are dropped by another address', async () => {
    cli().answer = (command) => {
      if (isInfo(command)) return infoOf();
      if (command.startsWith('show servers conn')) return row(0, 2);
      if (command.startsWith('set server')) return '[4]: IP changed\n\n';
      return commands().includes('set server b/s addr 192.0.2.1 port 2') ? gone : busy;
    };
    const deletes = queue();
    await deletes.add(old, [target]);
    expect(deletes.pending().servers).toEqual([]);
    expect(commands()).toEqual([
      'del server b/s',
      'show servers conn b',
      'set server b/s addr 192.0.2.1 port 2',
      'del server b/s',
    ]);
    deletes.stop();
  });

  it('connections that carry something keep the server as it is', async () => {
    cli().answer = (command) => (isInfo(command) ? infoOf() : command.startsWith('show') ? row(1, 2) : busy);
    const deletes = queue();
    await deletes.add(old, [target]);
    expect(commands()).toEqual(['del server b/s', 'show servers conn b']);
    deletes.stop();
  });
});

describe('a backend that goes', () => {
  it('goes after its servers', async () => {
    cli().answer = (command) =>
      isInfo(command) ? infoOf() : command.includes('backend') ? '[6]: Backend deleted.\n\n' : gone;
    const deletes = queue();
    await deletes.add(scriptedWorker, [{ kind: 'backend', backend: 'b' }, target]);
    expect(commands()).toEqual(['show stat b 2 -1', 'disable server b/s', 'del server b/s', 'del backend b']);
    expect(deletes.pending()).toEqual({ servers: [], backends: [] });
    deletes.stop();
  });

  it('keeps its servers in the balancing while requests wait in it', async () => {
    let waiting = 2;
    cli().answer = (command) => {
      if (isInfo(command)) return infoOf();
      if (command === 'show stat b 2 -1') return sessions(waiting--);
      if (command === 'disable server b/s') return '\n';
      return command === 'del backend b' && commands().includes('del server b/s')
        ? '[6]: Backend deleted.\n\n'
        : command === 'del server b/s'
          ? gone
          : '[3]: Only a backend without server can be deleted.\n\n';
    };
    const deletes = queue();
    await deletes.add(scriptedWorker, [target, { kind: 'backend', backend: 'b' }]);
    expect(deletes.pending()).toEqual({ servers: ['b/s'], backends: ['b'] });
    await expect.poll(() => deletes.pending().backends, { timeout: 20_000 }).toEqual([]);
    const waited = ['show stat b 2 -1', 'del backend b'];
    expect(commands()).toEqual([
      ...[...waited, ...waited],
      ...['show stat b 2 -1', 'disable server b/s', 'del server b/s', 'del backend b'],
    ]);
    deletes.stop();
  });

  it('stops its servers when its time to drain is over, whatever waits in it', async () => {
    cli().answer = (command) =>
      isInfo(command)
        ? infoOf()
        : command.startsWith('show stat')
          ? sessions(1)
          : command === 'del server b/s' && commands().includes('disable server b/s')
            ? gone
            : command.startsWith('del backend')
              ? '[3]: Only a backend without server can be deleted.\n\n'
              : '\n';
    const deletes = queue({ drainTimeoutMs: 5_000 });
    await deletes.add(scriptedWorker, [target, { kind: 'backend', backend: 'b' }]);
    expect(commands()).not.toContain('disable server b/s');
    now += 5_000;
    await expect.poll(() => deletes.pending().servers, { timeout: 20_000 }).toEqual([]);
    expect(commands().indexOf('disable server b/s')).toBeLessThan(
      commands().indexOf('shutdown sessions server b/s'),
    );
    deletes.stop();
  });

  it('whose acknowledgement was left out is found gone the next time', async () => {
    let tries = 0;
    cli().answer = (command) =>
      isInfo(command) ? infoOf() : ++tries === 1 ? '\n' : '[3]: No such backend.\n\n';
    const deletes = queue();
    await deletes.add(scriptedWorker, [{ kind: 'backend', backend: 'b' }]);
    expect(deletes.pending().backends).toEqual(['b']);
    expect(await deletes.admit([{ kind: 'backend', backend: 'b' }])).toEqual({
      ok: true,
      revived: new Set(),
    });
    deletes.stop();
  });

  it('keeps its name while one of its servers is in use', async () => {
    cli().answer = (command) =>
      isInfo(command)
        ? infoOf()
        : command.includes('backend')
          ? '[3]: Only a backend without server can be deleted.\n\n'
          : busy;
    const deletes = queue();
    await deletes.add(scriptedWorker, [{ kind: 'backend', backend: 'b' }, target]);
    expect(await deletes.admit([{ kind: 'backend', backend: 'b' }])).toEqual({ ok: false, taken: 'b' });
    expect(commands().some((command) => command.startsWith('shutdown'))).toBe(false);
    deletes.stop();
  });
});

describe('a name that is wanted again', () => {
  it('costs nothing when nothing is pending', async () => {
    const deletes = queue();
    expect(await deletes.admit([target])).toEqual({ ok: true, revived: new Set() });
    expect(cli().asked).toEqual([]);
  });

  it('is revived when its keywords are the same, apart from weight, first state and order', async () => {
    removing(() => false);
    const deletes = queue();
    const port: Keyword = { name: 'port', args: ['81'] };
    await deletes.add(scriptedWorker, [serverOf('s', [check, port, weight('5')])]);
    const before = commands().length;
    const state: Keyword = { name: 'init-state', args: ['up'] };
    expect(await deletes.admit([serverOf('s', [port, state, check, weight('9')])])).toEqual({
      ok: true,
      revived: new Set(['b/s']),
    });
    expect(commands()).toHaveLength(before);
    expect(deletes.pending().servers).toEqual([]);
    expect(outcomes).toEqual(['b/s deferred', 'b/s superseded']);
    deletes.stop();
  });

  it.each<[string, readonly Keyword[] | undefined, readonly Keyword[] | undefined]>([
    ['other keywords', [check], [check, { name: 'inter', args: ['1s'] }]],
    ['other arguments', [{ name: 'inter', args: ['1s'] }], [{ name: 'inter', args: ['2s'] }]],
    ['the former keywords unknown', undefined, []],
    ['keywords that read alike', [{ name: 'a', args: ['b', 'c'] }], [{ name: 'a', args: ['b c'] }]],
  ])('is waited for shortly, and no session is cut off, with %s', async (_what, before, after) => {
    removing(() => false);
    const deletes = queue();
    await deletes.add(scriptedWorker, [serverOf('s', before)]);
    expect(await deletes.admit([serverOf('s', after)])).toEqual({ ok: false, taken: 'b/s' });
    expect(commands().some((command) => command.startsWith('shutdown'))).toBe(false);
    expect(deletes.pending().servers).toEqual(['b/s']);
    deletes.stop();
  });

  it('is revived as a backend of the same profile, mode and guid, with those of its servers that are wanted', async () => {
    cli().answer = (command) =>
      isInfo(command)
        ? infoOf()
        : command.includes('backend')
          ? '[3]: Only a backend without server can be deleted.\n\n'
          : command.startsWith('del ')
            ? busy
            : command.startsWith('show stat')
              ? sessions(1)
              : '\n';
    const deletes = queue();
    const shop = { kind: 'backend', backend: 'b', profile: 'p', mode: 'http', guid: 'g' } as const;
    await deletes.add(scriptedWorker, [shop, serverOf('s', [check]), serverOf('t', [check])]);
    expect(await deletes.admit([shop, serverOf('s', [check]), serverOf('new', [])])).toEqual({
      ok: true,
      revived: new Set(['b', 'b/s']),
    });
    expect(deletes.pending()).toEqual({ servers: ['b/t'], backends: [] });
    // The backend gets requests again, and that server shall have none of them.
    expect(commands().filter((command) => command.startsWith('disable'))).toEqual(['disable server b/t']);
    deletes.stop();
  });

  it('is not had back where a server of it cannot be stopped', async () => {
    cli().answer = (command) =>
      isInfo(command) ? infoOf() : command.startsWith('show stat') ? sessions(1) : '[3]: what?\n';
    const deletes = queue();
    const shop = { kind: 'backend', backend: 'b', profile: 'p', mode: 'http' } as const;
    await deletes.add(scriptedWorker, [shop, serverOf('t', [check])]);
    expect(await deletes.admit([shop])).toEqual({ ok: false, taken: 'b/t' });
    deletes.stop();
  });

  it.each([
    [{ profile: 'q', mode: 'http', guid: 'g' }],
    [{ profile: 'p', mode: 'tcp', guid: 'g' }],
    [{ profile: 'p', mode: 'http' }],
  ] as const)('is not revived as a backend of another kind: %j', async (other) => {
    cli().answer = (command) =>
      isInfo(command) ? infoOf() : '[3]: Only a backend without server can be deleted.\n\n';
    const deletes = queue();
    await deletes.add(scriptedWorker, [
      { kind: 'backend', backend: 'b', profile: 'p', mode: 'http', guid: 'g' },
    ]);
    const wanted = { kind: 'backend', backend: 'b', ...other } as const;
    expect(await deletes.admit([wanted])).toEqual({ ok: false, taken: 'b' });
    deletes.stop();
  });

  it('is free as soon as the old one could be deleted', async () => {
    let tries = 0;
    removing(() => ++tries >= 3);
    const deletes = queue();
    await deletes.add(scriptedWorker, [target]);
    expect(await deletes.admit([serverOf('s', [])])).toEqual({ ok: true, revived: new Set() });
    expect(deletes.pending().servers).toEqual([]);
    deletes.stop();
  });

  it('is revived by the agent that comes after this one', async () => {
    removing(() => false);
    const first = queue();
    await first.add(scriptedWorker, [serverOf('s', [check])]);
    first.stop();
    const second = queue();
    await second.restore(scriptedWorker, first.saved());
    expect(await second.admit([serverOf('s', [check])])).toEqual({ ok: true, revived: new Set(['b/s']) });
    second.stop();
  });
});

describe('what an agent left behind', () => {
  it('has the time it had left', async () => {
    removing(() => commands().some((command) => command.startsWith('shutdown')));
    const first = queue();
    await first.add(scriptedWorker, [target]);
    first.stop();
    now += 59_000;
    const second = queue();
    await second.restore(scriptedWorker, first.saved());
    expect(second.pending().servers).toEqual(['b/s']);
    now += 1_000;
    await expect.poll(() => second.pending().servers, { timeout: 20_000 }).toEqual([]);
    second.stop();
  });

  it('never gets more time than a new one, whatever the clock did', async () => {
    removing(() => false);
    const deletes = queue();
    await deletes.restore(scriptedWorker, [{ target, cutOffAt: now + 10_000_000 }]);
    expect(deletes.saved()).toEqual([{ target, cutOffAt: now + 60_000 }]);
    deletes.stop();
  });
});

describe('more servers than may wait', () => {
  it('cost the oldest ones their sessions', async () => {
    removing((command) => commands().includes(`shutdown sessions server ${command.split(' ')[2] ?? ''}`));
    const deletes = queue({ maxServers: 3 });
    for (const name of ['one', 'two', 'three', 'four']) {
      await deletes.add(scriptedWorker, [serverOf(name)]);
      now += 10;
    }
    expect(deletes.pending().servers).toEqual(['b/three', 'b/four']);
    expect(commands().filter((command) => command.startsWith('shutdown'))).toEqual([
      'shutdown sessions server b/one',
      'shutdown sessions server b/two',
    ]);
    deletes.stop();
  });
});
