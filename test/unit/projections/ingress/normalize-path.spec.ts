import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizePath } from '../../../../src/projections/ingress/normalize-path.ts';

const normal = (path: string) => {
  const result = normalizePath(path);
  return 'fault' in result ? undefined : result.value;
};

describe('normalizePath', () => {
  it.each([
    ['/', '/'],
    ['/a/b', '/a/b'],
    ['//a///b//', '/a/b/'],
    ['/%61%2D%5f%7E', '/a-_~'],
    ['/caf%c3%a9', '/caf%C3%A9'],
    ['/%2561', '/%2561'],
    ['/a%2fb', '/a%2Fb'],
    ['/a/%2f%2F//b%2f', '/a/%2F%2F/b%2F'],
    ['/%3b%3f%23%25', '/%3B%3F%23%25'],
    ['/.well-known/...', '/.well-known/...'],
    ["/!$&'()*+,;=:@", "/!$&'()*+,;=:@"],
  ])('makes %s of %s', (path, expected) => expect(normal(path)).toBe(expected));

  it.each([
    ['/a%', 'hexadecimal'],
    ['/a%2', 'hexadecimal'],
    ['/%zz', 'hexadecimal'],
    ['/a\\b', 'backslash'],
    ['/a%5Cb', 'backslash'],
    ['/a%00', 'control'],
    ['/a%0d%0a', 'control'],
    ['/%7f', 'control'],
    ['/%c0%ae', 'control'],
    ['/%e0%80%af', 'control'],
    ['/a/../b', '".."'],
    ['/a/%2e%2E', '".."'],
    ['/./a', '".."'],
    ['/..;/a', '".."'],
    ['/..%3b/a', '".."'],
    ['/a%2f..%3Bb', '".."'],
    ['/a%2f..%2fb', '".."'],
    ['/a%2f.', '".."'],
    ['/a/..%2fb', '".."'],
  ])('refuses %s: %s', (path, word) => {
    expect(normalizePath(path)).toEqual({ fault: expect.stringContaining(word) as string });
  });

  it('is idempotent', () => {
    const part = fc.constantFrom('/', '//', 'a', '%61', '%2f', '%2F', '.', '%2e', '%C3%A9', '%', ';', '%25');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const once = normal(`/${parts.join('')}`);
        if (once !== undefined) expect(normal(once)).toBe(once);
      }),
    );
  });
});
