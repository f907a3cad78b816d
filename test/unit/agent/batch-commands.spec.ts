import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { batchCommands } from '../../../src/agent/runtime/batch-commands.ts';
import type { RuntimeCommand } from '../../../src/agent/runtime/command.ts';
import { limits } from '../../../src/protocol/limits.ts';

const silent = (text: string): RuntimeCommand => ({ text, success: 'silent' });

describe('commands as lines', () => {
  it('joins commands to one line that ends with the question for the identity', () => {
    const [line, ...rest] = batchCommands([silent('enable server a/b'), silent('disable server a/c')]);
    expect(rest).toEqual([]);
    expect(line).toMatchObject({
      text: 'set severity-output number;enable server a/b;disable server a/c;show info float',
      identity: 'last',
    });
  });

  it('gives a payload a line of its own, ended by a blank line and by no terminator of our making', () => {
    const payload: RuntimeCommand = { text: 'add map m', payload: ['k a b', 'l c d'], success: 'silent' };
    const lines = batchCommands([silent('x 1'), payload, silent('x 2')]);
    expect(lines.map((line) => line.text)).toEqual([
      'set severity-output number;x 1;show info float',
      'set severity-output number;show info float;add map m <<\nk a b\nl c d\n',
      'set severity-output number;x 2;show info float',
    ]);
    expect(lines[1]?.identity).toBe('first');
  });

  it('asks nothing before a payload that only a later command makes count', () => {
    const set: RuntimeCommand = {
      text: 'set ssl cert c',
      payload: ['x'],
      success: ['ok'],
      countsLater: true,
    };
    const lines = batchCommands([set, silent('commit ssl cert c')]);
    expect(lines.map(({ text, identity }) => [text, identity])).toEqual([
      ['set severity-output number;set ssl cert c <<\nx\n', 'none'],
      ['set severity-output number;commit ssl cert c;show info float', 'last'],
    ]);
  });

  it('sends a repeated command twice at once', () => {
    const [line] = batchCommands([{ text: 'del map m k', success: 'silent', repeatUntil: 'Key not found' }]);
    expect(line?.text).toBe('set severity-output number;del map m k;del map m k;show info float');
  });

  it('refuses a command that no line can hold', () => {
    expect(() => batchCommands([silent('x'.repeat(limits.commandLineBytes + 1))])).toThrow(RangeError);
  });

  it('keeps every command, their order, and the line limit', () => {
    const command = fc.record({ length: fc.integer({ min: 1, max: 6000 }), payload: fc.boolean() });
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60 }), (shapes) => {
        const commands = shapes.map(({ length, payload }, index): RuntimeCommand => {
          const text = `c${String(index)} ${'x'.repeat(length)}`;
          return payload ? { text, payload: ['k v'], success: 'silent' } : silent(text);
        });
        const lines = batchCommands(commands);
        expect(lines.flatMap((line) => line.commands)).toEqual(commands);
        for (const line of lines)
          expect(Buffer.byteLength(line.text)).toBeLessThan(limits.commandLineBytes + 64);
      }),
    );
  });
});
