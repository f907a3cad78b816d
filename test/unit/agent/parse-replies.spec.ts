import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseReplies, type Reply } from '../../../src/agent/runtime/parse-replies.ts';

describe('the answer to a line', () => {
  it('gives silence, messages and dumps one reply each', () => {
    const answer = '\n[6]: New server registered.\n\n\nName: HAProxy\nPid: 7\n\n';
    expect(parseReplies(answer)).toEqual([
      { text: '' },
      { severity: 6, text: 'New server registered.' },
      { text: '' },
      { text: 'Name: HAProxy\nPid: 7' },
    ]);
  });

  it('keeps a message of several lines together', () => {
    const answer =
      "[6]: Server B/s is going DOWN.\nbackend 'B' has no server available!\nBackend deleted.\n\n";
    expect(parseReplies(answer)).toEqual([
      {
        severity: 6,
        text: "Server B/s is going DOWN.\nbackend 'B' has no server available!\nBackend deleted.",
      },
    ]);
  });

  it('separates messages that come without a blank line between them', () => {
    const answer =
      '\n[3]: Server still has connections attached to it, cannot remove it.\n[6]: Server deleted.\n';
    expect(parseReplies(answer).map((reply) => reply.severity)).toEqual([undefined, 3, 6]);
  });

  it('gives what was said, command by command, whatever was said', () => {
    const line = fc.stringMatching(/^[ -~]{1,20}$/).filter((text) => !/^\[\d\]: /.test(text));
    const lines = fc.array(line, { minLength: 1, maxLength: 4 }).map((texts) => texts.join('\n'));
    const severity = fc.integer({ min: 0, max: 7 });
    const reply: fc.Arbitrary<Reply> = fc.oneof(
      fc.record({ text: lines }),
      fc.record({ text: lines, severity }),
      fc.constant({ text: '' }),
    );
    fc.assert(
      fc.property(fc.array(reply), (replies) => {
        const printed = replies.map(({ severity: mark, text }) =>
          text === '' ? '\n' : `${mark === undefined ? '' : `[${String(mark)}]: `}${text}\n\n`,
        );
        expect(parseReplies(printed.join(''))).toEqual(replies);
      }),
    );
  });

  it('loses no word of what HAProxy said, and makes none up', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('\n', '[3]: ', 'a', ' ', '[', ']: ', '9') }),
        (answer) => {
          const said = parseReplies(answer)
            .map(({ severity, text }) => (severity === undefined ? text : `[${String(severity)}]: ${text}`))
            .join('\n');
          expect(said.replaceAll('\n', '')).toBe(answer.replaceAll('\n', ''));
        },
      ),
    );
  });

  it('of megabytes is read to its end', () => {
    expect(parseReplies('[3]: x\n'.repeat(300_000))).toHaveLength(300_000);
    expect(parseReplies('['.repeat(1_000_000))).toHaveLength(1);
  });

  it('gives nothing for nothing', () => {
    expect(parseReplies('')).toEqual([]);
  });
});
