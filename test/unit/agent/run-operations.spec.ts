import { describe, expect, it } from 'vitest';
import type { ReadyOperation } from '../../../src/agent/runtime/command.ts';
import { prepareOperations } from '../../../src/agent/runtime/prepare-operations.ts';
import { reviveOperations } from '../../../src/agent/runtime/revive-operations.ts';
import { runOperations } from '../../../src/agent/runtime/run-operations.ts';
import type { Operation } from '../../../src/protocol/operation.ts';
import { infoOf, isInfo, scriptedWorker, useScriptedCli } from '../../fixtures/scripted-cli.ts';

const cli = useScriptedCli();
const pem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
const files: Readonly<Record<string, string>> = { 'c.pem': pem, 'd.pem': pem, m: 'k v\nl w\n' };

async function ready(...operations: Operation[]): Promise<readonly ReadyOperation[]> {
  const preparation = await prepareOperations(operations, '3.4', (path) =>
    Promise.resolve(files[path] === undefined ? undefined : Buffer.from(files[path])),
  );
  if (!preparation.ok) throw new Error(preparation.reason);
  return preparation.ready;
}

const enable = (server: string): Operation => ({ kind: 'server_enable', backend: 'b', server });
const add: Operation = {
  kind: 'server_add',
  backend: 'b',
  server: 's',
  address: '10.0.0.1',
  port: 80,
  keywords: [],
};
const run = async (...operations: Operation[]) =>
  runOperations(cli().socket, scriptedWorker, await ready(...operations));

describe('operations', () => {
  it('are done when the worker accepted them all', async () => {
    cli().answer = (command) => (isInfo(command) ? infoOf() : '\n');
    expect(await run(enable('x'), enable('y'))).toEqual({
      outcome: 'ok',
      results: [
        { kind: 'server_enable', ok: true, output: '' },
        { kind: 'server_enable', ok: true, output: '' },
      ],
    });
    expect(cli().asked).toEqual(['enable server b/x', 'enable server b/y', 'show info float']);
  });

  it('stop counting at the first refusal, and say of the rest that it is not known', async () => {
    cli().answer = (command) =>
      isInfo(command) ? infoOf() : command.includes('y') ? '[3]: No such server.\n\n' : '\n';
    const { outcome, reason, results } = await run(enable('x'), enable('y'), enable('z'));
    expect({ outcome, reason }).toEqual({ outcome: 'rejected', reason: 'op_rejected' });
    expect(results).toEqual([
      { kind: 'server_enable', ok: true, output: '' },
      { kind: 'server_enable', ok: false, output: 'No such server.' },
      { kind: 'server_enable', ok: false, output: 'not known: an operation before it failed' },
    ]);
  });

  it('of which a revived backend needs no command are done all the same', async () => {
    const operations = await ready(
      { kind: 'backend_add', backend: 'b', profile: 'p', mode: 'http' },
      { ...add, keywords: [{ name: 'weight', args: ['9'] }] },
      { kind: 'backend_publish', backend: 'b' },
    );
    cli().answer = (command) => {
      if (isInfo(command)) return infoOf();
      if (command.startsWith('publish')) return '[6]: Backend published.\n\n';
      return command.includes(' addr ') ? '[4]: nothing changed\n\n' : '\n';
    };
    const revived = reviveOperations(operations, new Set(['b', 'b/s']));
    expect(await runOperations(cli().socket, scriptedWorker, revived)).toMatchObject({
      outcome: 'ok',
      results: [{ kind: 'backend_add' }, { kind: 'server_add' }, { kind: 'backend_publish' }],
    });
    expect(cli().asked).toEqual([
      'set server b/s addr 10.0.0.1 port 80',
      'set server b/s weight 9',
      'publish backend b',
      'show info float',
    ]);
  });

  it('are refused by a word where silence means success, whatever its severity', async () => {
    cli().answer = (command) =>
      isInfo(command) ? infoOf() : '[6]: Unknown command, but maybe …\n  help\n\n';
    expect((await run(enable('x'))).outcome).toBe('rejected');
  });

  it('whose refusal is long are told in short', async () => {
    cli().answer = (command) =>
      isInfo(command) ? infoOf() : `Committing${'.'.repeat(9_000)} ${'x'.repeat(9_000)}\n\n`;
    const output = (await run(enable('x'))).results[0]?.output;
    expect(output).toMatch(/^Committing… x+ …$/);
    expect(output?.length).toBeLessThan(2_100);
  });

  it('are refused by silence where a word means success', async () => {
    cli().answer = (command) => (isInfo(command) ? infoOf() : '\n');
    expect((await run({ kind: 'backend_publish', backend: 'b' })).outcome).toBe('rejected');
  });

  it.each([
    '[3]: Already exists a server with the same name in backend.\n\n',
    "[3]: 'guid': duplicate entry with server b/n2.\n\n",
    '[3]: name is already used by other proxy\n\n',
  ])('that meet a name which is taken say so: %j', async (words) => {
    cli().answer = (command) => (isInfo(command) ? infoOf() : words);
    expect(await run(add)).toMatchObject({ outcome: 'rejected', reason: 'name_collision' });
  });

  it('that take no name never collide with one', async () => {
    cli().answer = (command) => (isInfo(command) ? infoOf() : "[3]: Certificate 'c.pem' already exists!\n\n");
    expect(await run({ kind: 'cert_new', path: 'c.pem' })).toMatchObject({ reason: 'op_rejected' });
  });

  it('do not count when another worker answered', async () => {
    cli().answer = (command) => (isInfo(command) ? infoOf(8) : '\n');
    expect(await run(enable('x'))).toMatchObject({ outcome: 'worker_changed', reason: 'worker_changed' });
  });

  it('do not count when the worker went away in their middle', async () => {
    cli().answer = (command) => (command.includes('y') ? undefined : '\n');
    const { outcome, results } = await run(enable('x'), enable('y'));
    expect(outcome).toBe('worker_changed');
    expect(results.filter((result) => result.ok)).toEqual([]);
  });

  it('do not count when nobody listens', async () => {
    const outcome = await runOperations(`${cli().socket}.none`, scriptedWorker, await ready(enable('x')));
    expect(outcome.outcome).toBe('worker_changed');
  });

  it('delete a key of a map until HAProxy knows it no more', async () => {
    let left = 5;
    cli().answer = (command) => (isInfo(command) ? infoOf() : left-- > 0 ? '\n' : '[3]: Key not found.\n\n');
    expect((await run({ kind: 'map_del', path: 'm', key: 'k' })).outcome).toBe('ok');
    expect(cli().asked.filter((command) => command === 'del map m k')).toHaveLength(6);
  });

  it('give up on a key that never goes away', async () => {
    cli().answer = (command) => (isInfo(command) ? infoOf() : '\n');
    const { outcome, results } = await run({ kind: 'map_del', path: 'm', key: 'k' });
    expect(outcome).toBe('rejected');
    expect(results[0]?.output).toContain('still there after 64 deletes');
  });

  it('that replace a map stop when no version of it can be had', async () => {
    cli().answer = (command) => (isInfo(command) ? infoOf() : '[3]: Unknown map identifier.\n\n');
    expect(await run(enable('x'), { kind: 'map_replace', path: 'm' })).toMatchObject({ outcome: 'rejected' });
  });
});

describe('a certificate', () => {
  const done: Readonly<Record<string, string>> = {
    'set ssl cert c.pem': '[5]: Transaction created for certificate c.pem!\n\n',
    'commit ssl cert c.pem': 'Committing c.pem....\nsome warning\nSuccess!\n\n',
    'new ssl cert c.pem': "[5]: New empty certificate store 'c.pem'!\n\n",
  };
  const answers = (changes: Readonly<Record<string, string | undefined>> = {}) => {
    cli().answer = (command) =>
      isInfo(command) ? infoOf() : command in changes ? changes[command] : (done[command] ?? '\n');
  };
  const commands = () => cli().asked.filter((command) => !isInfo(command));

  it('is opened, filled and committed, however long HAProxy talks', async () => {
    answers();
    expect(await run({ kind: 'cert_new', path: 'c.pem' })).toMatchObject({ outcome: 'ok' });
    expect(commands()).toEqual(['new ssl cert c.pem', 'set ssl cert c.pem', 'commit ssl cert c.pem']);
    expect(cli().payloads.get('set ssl cert c.pem')).toBe(`${pem}\n`);
  });

  it('whose commit fails leaves no transaction open and no empty store', async () => {
    answers({ 'commit ssl cert c.pem': 'Committing c.pem\nunable to load\nFailed!\n\n' });
    const outcome = await run({ kind: 'cert_new', path: 'c.pem' });
    expect(outcome).toMatchObject({ outcome: 'rejected', reason: 'op_rejected' });
    expect(outcome.results[0]?.output).toContain('unable to load');
    expect(commands().slice(-2)).toEqual(['abort ssl cert c.pem', 'del ssl cert c.pem']);
  });

  it('that was loaded before is never deleted by the clean-up', async () => {
    answers({ 'set ssl cert c.pem': "[3]: Can't load the payload\n\n" });
    expect(await run({ kind: 'cert_set', path: 'c.pem' })).toMatchObject({ outcome: 'rejected' });
    expect(commands().slice(1)).toEqual(['abort ssl cert c.pem']);
  });

  it('is refused when its bytes went into the transaction of another one', async () => {
    answers({ 'set ssl cert c.pem': '[5]: Transaction updated for certificate other.pem!\n\n' });
    expect(await run({ kind: 'cert_set', path: 'c.pem' })).toMatchObject({ outcome: 'rejected' });
  });

  it('is refused when it joined a transaction that somebody left open', async () => {
    answers({ 'set ssl cert c.pem': '[5]: Transaction updated for certificate c.pem!\n\n' });
    expect(await run({ kind: 'cert_set', path: 'c.pem' })).toMatchObject({ outcome: 'rejected' });
  });

  it('is cleaned up after when the answer to its commit breaks off', async () => {
    answers({ 'commit ssl cert c.pem': undefined });
    const outcome = await run({ kind: 'cert_set', path: 'c.pem' }, enable('x'));
    expect(outcome).toMatchObject({ outcome: 'worker_changed' });
    expect(outcome.results.map(({ ok }) => ok)).toEqual([false, false]);
    expect(commands().at(-1)).toBe('abort ssl cert c.pem');
  });

  it('does not count when the worker that commits it is another one than that which took its bytes', async () => {
    answers();
    const before = cli().answer;
    cli().answer = (command) => (isInfo(command) ? infoOf(8) : before(command));
    expect(await run({ kind: 'cert_set', path: 'c.pem' })).toMatchObject({ outcome: 'worker_changed' });
    expect(commands().at(-1)).toBe('abort ssl cert c.pem');
  });

  it('that went well is not touched by the clean-up of the next one', async () => {
    answers({
      'set ssl cert d.pem': "[3]: Can't load the payload\n\n",
    });
    const outcome = await run({ kind: 'cert_set', path: 'c.pem' }, { kind: 'cert_set', path: 'd.pem' });
    expect(outcome.results.map(({ ok }) => ok)).toEqual([true, false]);
    expect(commands().filter((command) => command.startsWith('abort'))).toEqual(['abort ssl cert d.pem']);
  });
});
