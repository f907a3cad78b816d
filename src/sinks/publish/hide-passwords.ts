import { textWithoutPasswords } from '../../lib/text-without-passwords.ts';

const marks = ['password', 'stats auth', 'stats  ', 'stats\t'].map((mark) => Buffer.from(mark));

/**
 * The text of a haproxy.cfg without the passwords of its users, plain or hashed: they are values of Secrets, and whoever may read
 * HAProxyCfgs need not be one who may read those. The same bytes where there are none.
 */
export function hidePasswords(config: Buffer): Buffer {
  // Looked for in the bytes: a text of megabytes is not made for nothing.
  if (!marks.some((mark) => config.includes(mark))) return config;
  const text = config.toString('utf8');
  const shown = textWithoutPasswords(text);
  return shown === text ? config : Buffer.from(shown);
}
