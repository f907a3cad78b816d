import { describe, expect, it } from 'vitest';
import { cliLines, tooLarge } from '../../../src/agent/runtime/cli-lines.ts';
import { cliRequest } from '../../../src/agent/runtime/cli-request.ts';
import { openCliSession } from '../../../src/agent/runtime/cli-session.ts';
import { hang, infoOf, scriptedWorker, useScriptedCli } from '../../fixtures/scripted-cli.ts';
import { readAnswer } from '../../../src/agent/runtime/read-answer.ts';

const cli = useScriptedCli();
const answered = (answers: Readonly<Record<string, string | undefined | typeof hang>>) => {
  cli().answer = (command) => (command in answers ? answers[command] : '\n');
};

describe('a kept connection', () => {
  it('gives every command its answer: silence, a line, a dump, a line without the empty one after it', async () => {
    answered({ a: '[6]: done\n\n', b: '\n', c: 'one\ntwo\n\n', d: '[3]: no\n' });
    const session = await openCliSession(cli().socket, 5_000);
    expect(await session.ask(['a', 'b', 'c', 'd'])).toEqual(['[6]: done', '', 'one\ntwo', '[3]: no']);
    expect(await session.ask([])).toEqual([]);
    expect(await session.ask(['a'])).toEqual(['[6]: done']);
    session.close();
  });

  it('that breaks in the middle gives no answer at all', async () => {
    answered({ b: undefined });
    const session = await openCliSession(cli().socket, 5_000);
    await expect(session.ask(['a', 'b'])).rejects.toMatchObject({ code: 'HAPTIC_ERR_AGENT_CLI_BROKEN' });
    await expect(session.ask(['a'])).rejects.toMatchObject({ code: 'HAPTIC_ERR_AGENT_CLI_BROKEN' });
  });

  it('that falls silent is given up', async () => {
    answered({ a: hang });
    const session = await openCliSession(cli().socket, 50);
    await expect(session.ask(['a'])).rejects.toThrow('no answer within 50 ms');
  });

  it('to nobody says that nothing ran', async () => {
    await expect(openCliSession(`${cli().socket}.none`, 5_000)).rejects.toMatchObject({
      code: 'HAPTIC_ERR_AGENT_CLI_UNREACHABLE',
    });
  });
});

describe('a request', () => {
  it('is given up when its answer does not end in time, though some of it came', async () => {
    answered({ b: hang });
    const request = cliRequest(cli().socket, 'a;b', { timeoutMs: 10_000, deadlineMs: 50 });
    await expect(request).rejects.toThrow('no end of the answer within 50 ms');
  });

  it('whose answer is streamed stops at the limit and closes the connection', async () => {
    answered({ a: `${'x'.repeat(99)}\n`.repeat(50_000) });
    const lines = cliLines(cli().socket, 'a', { timeoutMs: 5_000, maxBytes: 1_000 });
    let last: unknown;
    for (;;) {
      const next = await lines.next();
      if (next.done === true) {
        last = next.value;
        break;
      }
      expect(next.value).toMatch(/^x{99}$/);
    }
    expect(last).toBe(tooLarge);
  });

  it('whose answer is streamed says when it breaks off', async () => {
    answered({ a: undefined });
    const at = { socket: cli().socket, worker: scriptedWorker };
    await expect(readAnswer(at, 'a', () => undefined)).rejects.toMatchObject({
      code: 'HAPTIC_ERR_AGENT_CLI_BROKEN',
    });
    await expect(
      readAnswer({ ...at, socket: `${at.socket}.none` }, 'a', () => undefined),
    ).rejects.toMatchObject({
      code: 'HAPTIC_ERR_AGENT_CLI_UNREACHABLE',
    });
  });

  it('hands out the lines of its answer and not those of the worker’s identity', async () => {
    answered({ a: 'one\ntwo\n\n', b: '[3]: unknown\n', 'show info float': infoOf() });
    const at = { socket: cli().socket, worker: scriptedWorker };
    const lines: string[] = [];
    expect(await readAnswer(at, 'a', (line) => lines.push(line))).toEqual({ kind: 'read', value: undefined });
    expect(lines).toEqual(['one', 'two']);
    expect(await readAnswer(at, 'b', () => undefined)).toEqual({ kind: 'absent' });
  });
});
