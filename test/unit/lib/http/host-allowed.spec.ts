import { expect, it } from 'vitest';
import { hostAllowed } from '../../../../src/lib/http/host-allowed.ts';

it('allows every host where none is named', () => {
  expect(hostAllowed('anything.example', [])).toBe(true);
});

it.each([
  ['lists.example.com', ['lists.example.com'], true],
  ['LISTS.example.com.', ['lists.Example.com'], true],
  ['other.example.com', ['lists.example.com'], false],
  ['a.example.com', ['*.example.com'], true],
  ['a.b.example.com', ['*.example.com'], true],
  ['example.com', ['*.example.com'], false],
  ['.example.com', ['*.example.com'], false],
  ['evilexample.com', ['*.example.com'], false],
  ['example.com.evil.org', ['*.example.com', 'example.com'], false],
  ['10.0.0.1', ['10.0.0.1'], true],
])('%s among %j: %s', (host, allowed, expected) => {
  expect(hostAllowed(host, allowed)).toBe(expected);
});
