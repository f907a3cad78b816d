import { describe, expect, it } from 'vitest';
import { pathRewrite } from '../../../../../src/projections/policies/parsers/path-rewrite.ts';

describe('pathRewrite', () => {
  it.each([
    ['^/a/(.*) /b/$1', '^/a/(.*)', '/b/\\1'],
    ['  ^/(a)/([^/]+)\t/\\2/$1%[src]  ', '^/(a)/([^/]+)', '/\\2/\\1%[src]'],
    ['^/(?:a)/(b) /$1', '^/(?:a)/(b)', '/\\1'],
    ['^/a$ /', '^/a$', '/'],
  ])('reads %j', (text, regex, replacement) => {
    expect(pathRewrite(text)).toEqual({ value: { regex, replacement } });
  });

  it.each([
    ['^/a', 'a regular expression and a replacement'],
    ['^/a /b /c', 'a regular expression and a replacement'],
    ['a /b', 'begins with ^'],
    ['^/a b', 'a path for a replacement'],
    ['^/a //evil.example.com', 'a path for a replacement'],
    ['^/a /b?c', 'a path for a replacement'],
    ['^/a /b\\n', 'a path for a replacement'],
    ['^/a /b$x', 'a digit after each $'],
    ['^/a /$1', 'has no group 1'],
    ['^/(?:a)[(]\\( /$1', 'has no group 1'],
  ])('refuses %j', (text, fault) => {
    expect(pathRewrite(text)).toEqual({ fault: expect.stringContaining(fault) as string });
  });
});
