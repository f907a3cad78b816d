import { describe, expect, it } from 'vitest';
import { signIn } from '../../../../../src/projections/policies/parsers/sign-in.ts';

describe('signIn', () => {
  it.each([
    'https://login.example.com/start',
    'https://login.example.com',
    'http://[::1]:4180/oauth2/start?a=b',
    '/',
    ' /oauth2/start?a=b ',
  ])('reads %j', (text) => {
    expect(signIn(text)).toEqual({ value: text.trim() });
  });

  it.each([
    '',
    'oauth2',
    '//evil.example.com/',
    '/\\\\evil.example.com/',
    'https://u:p@login.example.com/',
    'https://login.example.com:0/',
    'https://login.example.com/#a',
    '/a#b',
    '/a b',
    '/a\r\nSet-Cookie: a=b',
    `/${'a'.repeat(2048)}`,
  ])('refuses %j', (text) => {
    expect(signIn(text)).toHaveProperty('fault');
  });
});
