import { describe, expect, it } from 'vitest';
import { parsePasswordList } from '../../../../src/projections/policies/parse-password-list.ts';
import { secret } from '../../../fixtures/kube-objects.ts';

const md5 = '$1$abcdefgh$cHJi5PXp/ki/ktXzqlk6I1';
const sha512 = (salt: string) => `$6$${salt}$${'a'.repeat(86)}`;
const parse = (data: Readonly<Record<string, string>>) => parsePasswordList(secret({ data }));
const ofLines = (...lines: readonly string[]) => parse({ auth: lines.join('\n') });

describe('parsePasswordList', () => {
  it.each([
    ['bcrypt', '$2y$10$abcdefghijklmnopqrstuuQ8F0gNvnOBzlOnI8cDsgkNJXmLwSEWm', 'bcrypt'],
    ['many rounds', sha512('rounds=5001$abc'), '5000 rounds'],
    ['yescrypt', '$y$j9T$abc$def', 'yescrypt'],
    ['apr1', '$apr1$abcdefgh$h9FWgUz3n9YxylKLlR5SQ/', 'apr1'],
    ['SHA-1', '{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=', 'SHA-1'],
    ['DES', 'abJnggxhB/yWI', '8 characters'],
    ['nothing', '', 'no hash'],
    ['a password', 'canary password', 'no hash'],
    ['a password with a control character', ':canary\u0007', 'printable'],
    ['a hash that is cut off', md5.slice(0, -1), 'no hash'],
    ['a hash with a line of its own', `${md5} canary`, 'no hash'],
  ])('keeps out a user with %s, and says why, without showing it', (_name, hash, reason) => {
    const parsed = ofLines(`qzx:${hash}`, `ben:${md5}`);
    if ('fault' in parsed) throw new Error(parsed.fault);
    expect(parsed.value.users.map(({ name }) => name)).toEqual(['ben']);
    expect(parsed.value.faults).toEqual([expect.stringContaining(reason)]);
    expect(parsed.value.faults.join()).toMatch(/^line 1 of auth /);
    if (!hash.startsWith(':'))
      expect(parsed.value.faults.join()).toMatch(
        /: \$6\$, \$5\$ and \$1\$ work, and "openssl passwd -6" makes one$/,
      );
    for (const hidden of ['canary', 'qzx', hash.slice(8, 30)])
      if (hidden !== '') expect(parsed.value.faults.join()).not.toContain(hidden);
  });

  it('takes the rounds that are the default', () => {
    const parsed = ofLines(`ann:${sha512('rounds=5000$abc')}`, `ben:${sha512('abc')}`);
    expect('value' in parsed && parsed.value.users.map(({ name }) => name)).toEqual(['ann', 'ben']);
  });

  it.each([
    ['no name', ':x'],
    ['a blank', 'a b'],
    ['no colon', ''],
    ['a name of control characters', '\u0001a'],
  ])('keeps out a line with %s', (_name, user) => {
    const parsed = ofLines(user === '' ? 'ann' : `${user}:${md5}`, `ben:${md5}`);
    expect('value' in parsed && [parsed.value.users.length, parsed.value.faults.length]).toEqual([1, 1]);
  });

  it('takes the first of equal names', () => {
    const parsed = ofLines(`ann:${md5}`, 'ann::other');
    expect('value' in parsed && parsed.value).toEqual({
      users: [{ name: 'ann', kind: 'hash', password: md5 }],
      faults: ['line 2 of auth names a user again'],
    });
  });

  it('refuses a Secret with nobody in it', () => {
    for (const data of [{}, { auth: '' }, { auth: '# nobody\n' }, { auth: 'ann:nothing' }])
      expect(parse(data)).toHaveProperty('fault');
    expect(parsePasswordList({ metadata: { name: 'x' } })).toHaveProperty('fault');
  });

  it('tells of a few of many faults', () => {
    const parsed = ofLines(`ann:${md5}`, ...Array<string>(20).fill('x'));
    expect('value' in parsed && parsed.value.faults.at(-1)).toBe('15 more are like that');
  });

  it('refuses more users than HAProxy should look through', () => {
    expect(ofLines(...Array.from({ length: 1_001 }, (_, i) => `u${i}:${md5}`))).toHaveProperty('fault');
  });
});
