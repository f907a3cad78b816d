import { describe, expect, it } from 'vitest';
import { redirectUrl } from '../../../../../src/projections/policies/parsers/redirect-url.ts';

describe('redirectUrl', () => {
  it.each([
    ['https://example.com', 'https://example.com', true],
    ['http://example.com/', 'http://example.com', true],
    [' HTTPS://Example.com:8443/A?b#c ', 'HTTPS://Example.com:8443/A?b#c', false],
    ['https://[fd00::1]:8443', 'https://[fd00::1]:8443', true],
    ['https://example.com?x', 'https://example.com?x', false],
    ["https://example.com/%[src]'$(HOME)", "https://example.com/%[src]'$(HOME)", false],
  ])('reads %s', (text, url, keepsPath) => {
    expect(redirectUrl(text)).toEqual({ value: { url, keepsPath } });
  });

  it.each([
    '',
    'example.com',
    '/path',
    '//example.com',
    'javascript:alert(1)',
    'https://',
    'https://user@example.com',
    'https://example.com:0',
    'https://example.com:65536',
    'https://example.com/a b',
    'https://example.com/\r\nSet-Cookie: a=b',
    'https://exämple.com',
    'https:///example.com',
    'https://[fd00',
    'https://example.com/"${HOME}',
    `https://example.com/${'a'.repeat(2048)}`,
  ])('refuses %j', (text) => {
    expect(redirectUrl(text)).toHaveProperty('fault');
  });
});
