import { expect, it } from 'vitest';
import { textWithoutPasswords } from '../../../src/lib/text-without-passwords.ts';

it('is the lines of a configuration without its users, however they are written', () => {
  const lines = (password: string) => [
    'userlist u',
    `  user ann password ${password} groups g`,
    `\tuser\t"a b"\tinsecure-password\t${password}`,
    `  user "a password b" password ${password}`,
    `  stats\tauth cid:${password}`,
    `  user "cut off" password ${password.slice(0, 4)}`,
  ];
  for (const password of ['$6$salt$abc', '"two words"', "'it is'", 'a\\ b', '"never ended'])
    expect(textWithoutPasswords(lines(password).join('\n'))).toBe(
      [
        'userlist u',
        '  user [redacted]',
        '\tuser\t[redacted]',
        '  user [redacted]',
        '  stats\tauth [redacted]',
        '  user [redacted]',
      ].join('\n'),
    );
  const plain = 'the password of user ann is unknown';
  expect(textWithoutPasswords(plain)).toBe(plain);
});
