import { describe, expect, it } from 'vitest';
import { configurationLines } from '../../../../../src/projections/policies/parsers/configuration-lines.ts';

describe('configurationLines', () => {
  it('takes lines without comments and what is around them', () => {
    expect(
      configurationLines('\n  acl a path /x\r\n# no\n\thttp-request deny if a\nno option httplog\n'),
    ).toEqual({ value: ['acl a path /x', 'http-request deny if a', 'no option httplog'] });
  });

  it.each([
    String.raw`http-request set-header x "a \"b\" ' c"`,
    String.raw`http-request set-header x '"$\ '`,
    String.raw`http-request set-header x a\ b\$c`,
  ])('takes %s', (line) => {
    expect(configurationLines(line)).toEqual({ value: [line] });
  });

  it.each([
    ['', 'at least one line'],
    ['# only a comment', 'at least one line'],
    ...[
      'backend x',
      'global',
      'defaults x from y',
      'listen x',
      'userlist x',
      'http-errors x',
      'program x',
    ].map((line) => [line, 'begins another section']),
    ['"backend" x', 'does not begin with a keyword'],
    ["back'end' x", 'does not begin with a keyword'],
    ['back\\end x', 'does not begin with a keyword'],
    ['.if 1', 'does not begin with a keyword'],
    ['no "backend" x', 'does not begin with a keyword'],
    ['no frontend x', 'does not begin with a keyword'],
    ['$X', 'does not begin with a keyword'],
    ['http-request set-header x "${HOME}"', 'has a $'],
    ['http-request set-header x $HOME', 'has a $'],
    ["http-request set-header x '\"' $HOME", 'has a $'],
    ['http-request set-header x "a', 'within quotes'],
    ["http-request set-header x 'a", 'within quotes'],
    ["http-request set-header x 'a\\'b'", 'within quotes'],
    ['http-request set-header x \\', 'ends with a backslash'],
    ['http-request set-header x é', 'visible ASCII'],
    ['http-request set-header x a\u0000b', 'visible ASCII'],
    ['http-request cache-use x', 'uses a cache'],
    [`http-request set-header x ${'a'.repeat(1024)}`, 'more than 1024'],
    ['acl a always_true\n'.repeat(51), 'more than 50'],
  ])('refuses %j', (text = '', fault = '') => {
    expect(configurationLines(text)).toEqual({ fault: expect.stringContaining(fault) as string });
  });
});
