import { describe, expect, it } from 'vitest';
import { boundedRegex } from '../../../../../src/projections/policies/parsers/bounded-regex.ts';

describe('boundedRegex', () => {
  it.each([
    '^/a/(.*)$',
    '^/users/([^/]+)/photos/([^/]*)/x/([^/]+)/y/([^/]+)',
    '^/(a|b)/[a-z]{1,3}/(.*)',
    '^/v[0-9]+/(.*)',
    '^/[*+]/(.*)\\.(jpg|png)$',
    '^/(?:a)?/x?y',
    '^/[^/]+$',
    '^/(?:a{2,8})',
    '^/[[:alpha:].=]\\x{ff}[.]a[=]',
    '^/(a|b)*c',
    '^/(en|de|fr|it|es|pt|nl|pl)(-[A-Z]{2})?/(shop|blog|news)/(.*)$',
    '^/(en|de)/(.*)-(.*)$',
    '^/(?:v1|v2)?/(index|home)?(.*)$',
  ])('takes %s', (text) => {
    expect(boundedRegex(text)).toEqual({ value: text });
  });

  it.each([
    ['/a', 'begins with ^'],
    ['^/a b', 'begins with ^'],
    ['^/a\n', 'begins with ^'],
    ['^/ä', 'begins with ^'],
    [`^/${'a'.repeat(256)}`, 'at most 256'],
    ['^/(a', 'look-around and back-references'],
    ['^/a)|(b', 'look-around and back-references'],
    ['^/(a)\\1', 'look-around and back-references'],
    ['^/(?=a)', 'flags'],
    ['^/(?i)a', 'flags'],
    ['^/\\Qa)', 'flags'],
    ['^/[[.a.]]', 'names of characters'],
    ['^/[[=a=]]', 'names of characters'],
    ['^/[.a.]', 'names of characters'],
    ['^/[:alpha:]', 'names of characters'],
    ['^/\\x{100}', 'characters above'],
    ['^/[\\x{10ffff}]', 'characters above'],
    ['^/(a+)+$', 'repeats something itself'],
    ['^/(a*b?)*$', 'repeats something itself'],
    ['^/((a|b+)c){2,}$', 'repeats something itself'],
    ['^/(?:[^/]+/)*x', 'repeats something itself'],
    ['^/((a{2}b){3}c)', 'repeats something itself'],
    ['^/.*.*.*x', 'at most 2'],
    ['^/[^/]+([^/]+)[^/]+x', 'at most 2'],
    ['^/[^/]+x?/[^/]+x?/[^/]+x?/', 'at most 2'],
    ['^/[^/]+(/|a)[^/]+(/|a)[^/]+(/|a)', 'at most 2'],
    ['^/[^/]+/*[^/]+/*[^/]+/*x', 'at most 2'],
    ['^/a{0,1000}a{0,9}a{0,}x', 'at most 2'],
    ['^/(a|aa)*x', 'read in several ways'],
    ['^/(a|b|ab)+x', 'read in several ways'],
    ['^/(a?b)*x', 'read in several ways'],
    ['^/((a|aa)b?)*x', 'read in several ways'],
    ['^/(a|)+x', 'read in several ways'],
    [`^/${'a?'.repeat(40)}x`, 'one thing or another'],
    [`^/${'a??'.repeat(40)}x`, 'one thing or another'],
    [`^/${'.{0,8}'.repeat(10)}x`, 'one thing or another'],
    [`^/${'(a|aa)'.repeat(30)}x`, 'one thing or another'],
    [`^/${'(a|[ab])'.repeat(30)}x`, 'one thing or another'],
    ['^/(a|ab|b){8}(a|ab|b){8}c', 'one thing or another'],
    ['^/((a?b?){8}){8}c', 'repeats something itself'],
    ['^/(a?b?c?d?){8}c', 'one thing or another'],
    ['^/(.*)x?y?z?(.*)w', 'one thing or another'],
  ])('refuses %s', (text, fault) => {
    expect(boundedRegex(text)).toEqual({ fault: expect.stringContaining(fault) as string });
  });
});
