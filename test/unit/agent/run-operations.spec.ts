import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDeferredDeletes } from '../../../src/agent/runtime/deferred-deletes.ts';
import { compileOperation } from '../../../src/agent/runtime/compile-operation.ts';
import { runOperations } from '../../../src/agent/runtime/run-operations.ts';
import type { Operation } from '../../../src/protocol/operation.ts';

const worker = {
  version: '3.4',
  full_version: '3.4.7',
  worker_pid: 7,
  worker_start_time_unix_micros: 1_500_000,
};
const info = (pid = 7) => `Version: 3.4.7\nPid: ${String(pid)}\nStart_time_sec: 1.500000\n\n`;

/** A HAProxy CLI whose answers are the test's: one function from a command to its answer. */
let answer: (command: string) => string | undefined;
let asked: string[];
let socket: string;
let server: net.Server;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'haptic-cli-'));
  socket = path.join(folder, 'cli.sock');
  asked = [];
  server = net.createServer((connection) => {
    connection.on('error', () => undefined);
    connection.once('data', (data: Buffer) => {
      let text = '';
      for (const command of (data.toString().split('\n')[0] ?? '').split(';')) {
        if (command.startsWith('set severity-output')) {
          text += '\n';
          continue;
        }
        asked.push(command);
        const reply = answer(command);
        if (reply === undefined) return connection.destroy();
        text += reply;
      }
      return connection.end(text);
    });
  });
  server.listen(socket);
  await once(server, 'listening');
});
afterEach(async () => {
  server.close();
  await rm(folder, { recursive: true, force: true });
});

const ready = (...operations: Operation[]) =>
  operations.map((operation) => {
    const compilation = compileOperation(operation, '3.4');
    if (!compilation.ok) throw new Error(compilation.reason);
    return { kind: operation.kind, compiled: compilation.compiled };
  });
const enable = (server: string): Operation => ({ kind: 'server_enable', backend: 'b', server });
const isInfo = (command: string) => command === 'show info float';

describe('operations', () => {
  it('are done when the worker accepted them all', async () => {
    answer = (command) => (isInfo(command) ? info() : '\n');
    const run = await runOperations(socket, worker, ready(enable('x'), enable('y')));
    expect(run).toEqual({
      outcome: 'ok',
      results: [
        { kind: 'server_enable', ok: true, output: '' },
        { kind: 'server_enable', ok: true, output: '' },
      ],
    });
    expect(asked).toEqual(['enable server b/x', 'enable server b/y', 'show info float']);
  });

  it('stop counting at the first refusal', async () => {
    answer = (command) =>
      isInfo(command) ? info() : command.includes('y') ? '[3]: No such server.\n\n' : '\n';
    const run = await runOperations(socket, worker, ready(enable('x'), enable('y'), enable('z')));
    expect(run.outcome).toBe('rejected');
    expect(run.results).toEqual([
      { kind: 'server_enable', ok: true, output: '' },
      { kind: 'server_enable', ok: false, output: 'No such server.' },
    ]);
  });

  it('are refused by a word where silence means success, whatever its severity', async () => {
    answer = (command) => (isInfo(command) ? info() : '[6]: Unknown command, but maybe …\n  help\n\n');
    expect((await runOperations(socket, worker, ready(enable('x')))).outcome).toBe('rejected');
  });

  it('are refused by silence where a word means success', async () => {
    answer = (command) => (isInfo(command) ? info() : '\n');
    const publish: Operation = { kind: 'backend_publish', backend: 'b' };
    expect((await runOperations(socket, worker, ready(publish))).outcome).toBe('rejected');
  });

  it('do not count when another worker answered', async () => {
    answer = (command) => (isInfo(command) ? info(8) : '\n');
    expect((await runOperations(socket, worker, ready(enable('x')))).outcome).toBe('worker_changed');
  });

  it('do not count when the worker went away in their middle', async () => {
    answer = (command) => (command.includes('y') ? undefined : '\n');
    const run = await runOperations(socket, worker, ready(enable('x'), enable('y')));
    expect(run.outcome).toBe('worker_changed');
    expect(run.results.filter((result) => result.ok)).toEqual([]);
  });

  it('do not count when nobody listens', async () => {
    const run = await runOperations(`${socket}.none`, worker, ready(enable('x')));
    expect(run.outcome).toBe('worker_changed');
  });

  it('delete a key of a map until HAProxy knows it no more', async () => {
    let left = 5;
    answer = (command) => (isInfo(command) ? info() : left-- > 0 ? '\n' : '[3]: Key not found.\n\n');
    const run = await runOperations(socket, worker, ready({ kind: 'map_del', path: 'm', key: 'k' }));
    expect(run.outcome).toBe('ok');
    expect(asked.filter((command) => command === 'del map m k')).toHaveLength(6);
  });

  it('give up on a key that never goes away', async () => {
    answer = (command) => (isInfo(command) ? info() : '\n');
    const run = await runOperations(socket, worker, ready({ kind: 'map_del', path: 'm', key: 'k' }));
    expect(run.outcome).toBe('rejected');
    expect(run.results[0]?.output).toContain('still there after 64 deletes');
  });
});

describe('deletions that wait', () => {
  const outcomes: string[] = [];
  const queue = () =>
    createDeferredDeletes({
      socket,
      onOutcome: (target, outcome) => outcomes.push(`${target.backend} ${outcome}`),
    });
  const target = { kind: 'server', backend: 'b', server: 's' } as const;
  const busy = '[3]: Server still has connections attached to it, cannot remove it.\n';

  beforeEach(() => {
    outcomes.length = 0;
  });

  it('are tried again until nothing uses the server, which is cut off after a while', async () => {
    let tries = 0;
    answer = (command) => {
      if (isInfo(command)) return info();
      if (command.startsWith('shutdown')) return '\n';
      return ++tries < 4 ? busy : '[6]: Server deleted.\n';
    };
    const deletes = queue();
    await deletes.add(worker, [target]);
    expect(deletes.pending()).toEqual({ servers: ['b/s'], backends: [] });
    await expect.poll(() => deletes.pending().servers, { timeout: 10_000 }).toEqual([]);
    expect(asked.filter((command) => !isInfo(command))).toEqual([
      'del server b/s',
      'del server b/s',
      'del server b/s',
      'shutdown sessions server b/s',
      'del server b/s',
    ]);
    expect(outcomes).toEqual(['b done']);
    deletes.stop();
  });

  it('on 2.6 drop idle connections as well, by another address each time', async () => {
    let tries = 0;
    answer = (command) => {
      if (isInfo(command)) return info();
      if (!command.startsWith('del')) return '\n';
      return ++tries < 3 ? busy : '[6]: Server deleted.\n';
    };
    const deletes = queue();
    await deletes.add({ ...worker, version: '2.6' }, [target]);
    expect(await deletes.settle(target)).toBe(true);
    expect(asked.filter((command) => !isInfo(command))).toEqual([
      'del server b/s',
      'shutdown sessions server b/s',
      'set server b/s addr 192.0.2.1 port 5',
      'del server b/s',
      'shutdown sessions server b/s',
      'set server b/s addr 192.0.2.1 port 6',
      'del server b/s',
    ]);
    deletes.stop();
  });

  it('never touch another worker', async () => {
    let pid = 7;
    answer = (command) => (isInfo(command) ? info(pid) : busy);
    const deletes = queue();
    await deletes.add(worker, [target]);
    pid = 8;
    await expect.poll(() => deletes.pending().servers, { timeout: 10_000 }).toEqual([]);
    expect(outcomes).toEqual(['b superseded']);
    expect(asked.filter((command) => !isInfo(command))).toEqual(['del server b/s']);
    deletes.stop();
  });

  it('are left alone, but listed, when HAProxy says they cannot be', async () => {
    answer = (command) =>
      isInfo(command) ? info() : '[3]: This server cannot be removed at runtime due to other elements.\n';
    const deletes = queue();
    await deletes.add(worker, [target]);
    expect(outcomes).toEqual(['b abandoned']);
    expect(deletes.pending().servers).toEqual(['b/s']);
    expect(await deletes.settle(target)).toBe(false);
    deletes.stop();
  });

  it('go through the servers of a backend before the backend', async () => {
    answer = (command) =>
      isInfo(command)
        ? info()
        : command.includes('backend')
          ? '[6]: Backend deleted.\n\n'
          : '[6]: Server deleted.\n';
    const deletes = queue();
    await deletes.add(worker, [{ kind: 'backend', backend: 'b' }, target]);
    expect(asked.filter((command) => !isInfo(command))).toEqual(['del server b/s', 'del backend b']);
    expect(deletes.pending()).toEqual({ servers: [], backends: [] });
    deletes.stop();
  });

  it('take an omitted acknowledgement for an unfinished one, and find the backend gone the next time', async () => {
    let tries = 0;
    answer = (command) => (isInfo(command) ? info() : ++tries === 1 ? '\n' : '[3]: No such backend.\n\n');
    const deletes = queue();
    await deletes.add(worker, [{ kind: 'backend', backend: 'b' }]);
    expect(deletes.pending().backends).toEqual(['b']);
    expect(await deletes.settle({ kind: 'backend', backend: 'b' })).toBe(true);
    deletes.stop();
  });
});
