import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitLines } from '../../../src/streams/split-lines.ts';

/** Cuts a text at the given places (taken modulo its length). */
function pieces(text: string, cuts: readonly number[]): string[] {
  const places = cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b);
  return [0, ...places].map((start, index) => text.slice(start, places[index] ?? text.length));
}

function linesOf(texts: readonly string[]): { lines: string[]; carry: string } {
  const lines: string[] = [];
  let carry = '';
  for (const text of texts) {
    const split = splitLines(carry, text);
    lines.push(...split.lines);
    ({ carry } = split);
  }
  return { lines, carry };
}

describe('splitLines', () => {
  it('gives complete lines and keeps the rest', () => {
    expect(splitLines('ab', 'c\nd\n\ne')).toEqual({ lines: ['abc', 'd'], carry: 'e' });
    expect(splitLines('ab', 'c')).toEqual({ lines: [], carry: 'abc' });
    expect(splitLines('', '')).toEqual({ lines: [], carry: '' });
    expect(splitLines('x', '\n')).toEqual({ lines: ['x'], carry: '' });
    expect(splitLines('', 'x\r\n\r\ny\r')).toEqual({ lines: ['x'], carry: 'y\r' });
  });

  it('gives the same lines however the text was cut', () => {
    const text = fc
      .array(fc.constantFrom('a', 'bc', '\n', '\r\n', '{"x":1}', '€'))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, fc.array(fc.nat()), (text, cuts) => {
        expect(linesOf(pieces(text, cuts))).toEqual(linesOf([text]));
      }),
    );
  });

  it('loses nothing but line ends', () => {
    fc.assert(
      fc.property(fc.array(fc.string().filter((line) => !/[\r\n]/.test(line))), (lines) => {
        const result = linesOf([lines.map((line) => `${line}\n`).join('')]);
        expect(result).toEqual({ lines: lines.filter((line) => line !== ''), carry: '' });
      }),
    );
  });
});
