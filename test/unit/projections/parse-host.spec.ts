import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseHost } from '../../../src/projections/parse-host.ts';

const fault = (raw: unknown) => {
  const result = parseHost(raw);
  return 'fault' in result ? result.fault : undefined;
};

describe('parseHost', () => {
  it('takes a name in lower case as its own group', () => {
    const expected = { host: 'shop.example.com', kind: 'exact', group: 'shop.example.com' };
    expect(parseHost('shop.example.com')).toEqual({ value: expected });
    expect(parseHost('Shop.EXAMPLE.com')).toEqual({ value: expected });
    expect(parseHost('localhost')).toEqual({
      value: { host: 'localhost', kind: 'exact', group: 'localhost' },
    });
  });

  it('takes one whole wildcard label in front', () => {
    expect(parseHost('*.Example.com')).toEqual({
      value: { host: 'example.com', kind: 'wildcard-one', group: '*.example.com' },
    });
    expect(parseHost('*.com')).toEqual({ value: { host: 'com', kind: 'wildcard-one', group: '*.com' } });
  });

  it.each([undefined, null, ''])('takes %j for every host', (raw) => {
    expect(parseHost(raw)).toEqual({ value: { host: '', kind: 'any', group: '*' } });
  });

  it.each(['*', '*.', '**.a.com', 'a.*.com', 'w*.example.com', '*w.example.com', '*.*.com', 'a.com.*'])(
    'refuses %j: a wildcard is one whole first label',
    (raw) => expect(fault(raw)).toContain('DNS name'),
  );

  it.each([
    'a b.com',
    'a.com ',
    'a.com\n',
    'a.com\nuse_backend x',
    'a\0.com',
    'a.com/x',
    'a.com:80',
    'a.com.',
    '.a.com',
    'a..com',
    '-a.com',
    'a-.com',
    'a_b.com',
    'a.com;',
    'a.com#',
    '"a.com"',
    "a'.com",
    '%[src]',
    '${HOME}',
    'ä.com',
    '[::1]',
    '\\a.com',
    `${'a'.repeat(64)}.com`,
  ])('refuses %j', (raw) => expect(fault(raw)).toContain('DNS name'));

  it('refuses a host of more than 253 characters without repeating it', () => {
    const long = Array.from({ length: 70 }, () => 'a'.repeat(60)).join('.');
    expect(long.length).toBeGreaterThan(4096);
    expect(fault(long)).toBe(`must have at most 253 characters, not ${long.length}`);
    const longest = `${Array.from({ length: 4 }, () => 'a'.repeat(62)).join('.')}.c`;
    expect(longest).toHaveLength(253);
    expect(fault(longest)).toBeUndefined();
    expect(fault(`${longest}c`)).toContain('253');
  });

  it('refuses an IPv4 address, as Kubernetes does', () => {
    expect(fault('10.0.0.1')).toContain('not an address');
    expect(fault('*.10.0.0.1')).toContain('not an address');
  });

  it.each([1, true, {}, [], ['a.com']])('refuses %j, which is not a string', (raw) =>
    expect(fault(raw)).toContain('must be a string'),
  );

  it('gives groups without "/" and white space, whatever comes in', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.domain(), fc.constant('*.')), fc.string(), (a, b) => {
        const result = parseHost(`${a}${b}`);
        if ('value' in result) expect(result.value.group).toMatch(/^(\*|(\*\.)?[-a-z0-9.]+)$/);
      }),
    );
  });
});
