import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePath } from '../../../../src/projections/ingress/parse-path.ts';

const fault = (path: unknown, pathType = 'Prefix') => {
  const result = parsePath(pathType, path);
  return 'fault' in result ? result.fault : undefined;
};

describe('parsePath', () => {
  it('keeps an Exact path as it is, trailing slash included', () => {
    for (const path of ['/', '/a', '/a/', '/a%2Fb']) {
      expect(parsePath('Exact', path)).toEqual({ value: { match: 'exact', path, looksLikeRegex: false } });
    }
  });

  it.each([
    ['/', ''],
    ['//', ''],
    ['/a', '/a'],
    ['/a/', '/a'],
    ['/a//', '/a'],
    ['//a', '/a'],
    ['/%61/%7Eb', '/a/~b'],
    ['/a/b/', '/a/b'],
  ])('takes the prefix %j without its trailing slashes: %j', (path, prefix) => {
    const expected = { value: { match: 'prefix', path: prefix, looksLikeRegex: false } };
    expect(parsePath('Prefix', path)).toEqual(expected);
    expect(parsePath('ImplementationSpecific', path)).toEqual(expected);
  });

  it('takes no path for "/" with ImplementationSpecific only', () => {
    for (const path of [undefined, null, '']) {
      expect(parsePath('ImplementationSpecific', path)).toEqual({
        value: { match: 'prefix', path: '', looksLikeRegex: false },
      });
      expect(fault(path)).toBe('must be set');
      expect(fault(path, 'Exact')).toBe('must be set');
    }
  });

  it.each(['a', 'a/', ' /a', '*', '.*', 'http://a/'])('refuses %j, which does not start with "/"', (path) =>
    expect(fault(path)).toContain('start with "/"'),
  );

  it.each(['/a b', '/a\t', '/a\n', '/a\r\nHost: x', '/a\0', '/\x7f', '/ä', '/\u2028', '/😀', '/ '])(
    'refuses %j: no request can have it in its path',
    (path) => expect(fault(path)).toContain('visible ASCII'),
  );

  it.each(['/a?b', '/(a)?', '/a#b'])('refuses %j: the path of a request ends there', (path) =>
    expect(fault(path)).toContain('"?" or "#"'),
  );

  it.each(['/a;b', '/;', '/a%3Bb', '/a%3b/c'])(
    'refuses %j: backends may leave out what follows ";"',
    (path) => {
      expect(fault(path)).toContain('";"');
      expect(fault(path, 'Exact')).toContain('";"');
    },
  );

  it('refuses more than 2048 characters without repeating them', () => {
    expect(fault(`/${'a'.repeat(2047)}`)).toBeUndefined();
    expect(fault(`/${'a'.repeat(4096)}`)).toBe('must have at most 2048 characters, not 4097');
  });

  it.each(["/a'b", '/a"b', '/${HOME}', '/a,b', '/(x)', '/~user', '/a=b&c', '/a:b@c'])(
    'takes %j literally',
    (path) => {
      const result = parsePath('Exact', path);
      expect(result).toMatchObject({ value: { match: 'exact', path } });
    },
  );

  it.each(['/api/[1-9][0-9]*/(.*)', '/a.*', '/(a|b)', '/a$', '/^a', '/x{2}', '/[a-z]'])(
    'says that %j looks like a regular expression',
    (path) =>
      expect(parsePath('ImplementationSpecific', path)).toMatchObject({ value: { looksLikeRegex: true } }),
  );

  it.each(['/a.b', '/a*', '/a+b', '/v1.0/x', '/wiki/Foo_(bar)/x', '/$batch/x', '/a/*'])(
    'does not say so of %j',
    (path) => expect(parsePath('Prefix', path)).toMatchObject({ value: { looksLikeRegex: false } }),
  );

  it.each([1, true, {}, ['/a']])('refuses %j, which is not a string', (path) =>
    expect(fault(path)).toContain('must be a string'),
  );

  it('never lets white space or control characters through', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.constantFrom('Exact', 'Prefix'), (text, type) => {
        const result = parsePath(type, `/${text}`);
        if ('value' in result) expect(result.value.path).toMatch(/^[\x21-\x7e]*$/);
      }),
    );
  });
});
