const marks = ['password ', 'stats auth'].map((mark) => Buffer.from(mark));
const user = /^([ \t]*user[ \t]+\S+[ \t]+(?:insecure-)?password[ \t]+)\S+/gm;
const statsUser = /^([ \t]*stats[ \t]+auth[ \t]+[^\s:]+:)\S+/gm;

/**
 * The text of a haproxy.cfg without the passwords of its users, plain or hashed: they are values of Secrets, and whoever may read
 * HAProxyCfgs need not be one who may read those. The same bytes where there are none.
 */
export function hidePasswords(config: Buffer): Buffer {
  // Looked for in the bytes: a text of megabytes is not made for nothing.
  if (!marks.some((mark) => config.includes(mark))) return config;
  return Buffer.from(
    config.toString('utf8').replaceAll(user, '$1[redacted]').replaceAll(statsUser, '$1[redacted]'),
  );
}
