import { describe, expect, it } from 'vitest';
import { errorPage } from '../../../../../src/projections/policies/parsers/error-page.ts';

describe('errorPage', () => {
  it.each([
    ['later', 'text/plain; charset=utf-8', ['later']],
    [
      'content-type: text/html;charset=utf-8\r\n\r\n<h1>\n\tA\n',
      'text/html;charset=utf-8',
      ['<h1>', '    A', ''],
    ],
    ['Contents: x\n\ny', 'text/plain; charset=utf-8', ['Contents: x', '', 'y']],
  ])('reads %j', (text, type, lines) => {
    expect(errorPage(text)).toEqual({ value: { type, lines } });
  });

  it.each([
    ['', 'must have a body'],
    ['Content-Type: text/html\n\n \n', 'must have a body'],
    ['Content-Type: text/html\nX-A: b\n\n<h1>', 'must begin with'],
    ['Content-Type: nothing\n\n<h1>', 'must begin with'],
    ['a\u0000b', 'control characters'],
    ['a\rb', 'control characters'],
    ['\ud800', 'control characters'],
    ['é'.repeat(2049), 'has 4098 bytes, more than 4096'],
  ])('refuses %j', (text, fault) => {
    expect(errorPage(text)).toEqual({ fault: expect.stringContaining(fault) as string });
  });
});
