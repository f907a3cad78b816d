import { describe, expect, it } from 'vitest';
import { headerLines } from '../../../../../src/projections/policies/parsers/header-lines.ts';
import { refusedHeader } from '../../../../../src/projections/policies/refused-header.ts';

const set = headerLines(refusedHeader.request, false);
const add = headerLines(refusedHeader.request, true);

describe('headerLines', () => {
  it('reads a header a line, by name', () => {
    expect(set('X-B: two: 2\r\n\n  x-a :  %[src] "${HOME}"\t\n')).toEqual({
      value: [
        { name: 'x-a', value: '%[src] "${HOME}"' },
        { name: 'x-b', value: 'two: 2' },
      ],
    });
  });

  it('takes a name twice where both count', () => {
    expect(add('X-A: 2\nX-A: 1')).toEqual({
      value: [
        { name: 'x-a', value: '2' },
        { name: 'x-a', value: '1' },
      ],
    });
    expect(set('X-A: 2\nx-a: 1')).toEqual({ fault: 'has "x-a" twice' });
  });

  it.each([
    ['', 'at least one line'],
    ['X-A', 'must have lines such as'],
    ['X-A:', 'must have a value'],
    ['X-A: é', 'must have a value'],
    ['X-A: a\u0000b', 'must have a value'],
    ['X-A: a\rX-B: b', 'must have a value'],
    [`X-A: ${'a'.repeat(2049)}`, 'must have a value'],
    ['X A: b', 'must have lines such as'],
    ['X-%[src]: b', 'must name a header'],
    ['X,A: b', 'must name a header'],
    [`${'a'.repeat(101)}: b`, 'must name a header'],
    ['Host: b', 'upstream-vhost'],
    ['CDN-Loop: b', 'counts the proxies'],
    ['Content-Length: 5', 'belongs to the connection'],
    ['transfer-ENCODING: chunked', 'belongs to the connection'],
    ['Connection: x', 'belongs to the connection'],
    ['X-Forwarded-For: 1.2.3.4', 'servers rely'],
    ['X-SSL-Client-CN: root', 'servers rely'],
    [Array.from({ length: 33 }, (_, n) => `X-${n}: a`).join('\n'), 'more than 32'],
  ])('refuses %j', (text, fault) => {
    expect(set(text)).toEqual({ fault: expect.stringContaining(fault) as string });
  });
});
