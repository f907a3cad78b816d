import { describe, expect, it } from 'vitest';
import { parseReplies } from '../../../src/agent/runtime/parse-replies.ts';

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

  it('gives nothing for nothing', () => {
    expect(parseReplies('')).toEqual([]);
  });
});
