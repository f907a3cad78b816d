const marks = ['password ', 'stats auth'].map((mark) => Buffer.from(mark));
/** An argument as HAProxy reads it: quoted parts may have blanks. Nothing may follow it in a pattern, so that nothing is tried twice. */
const argument = String.raw`(?:\\.|"(?:\\.|[^"\\\n])*"?|'[^'\n]*'?|[^\s"'\\])+`;
const user = new RegExp(
  String.raw`^([ \t]*user[ \t]+\S+[ \t]+(?:insecure-)?password[ \t]+)${argument}`,
  'gm',
);
const statsUser = new RegExp(String.raw`^([ \t]*stats[ \t]+auth[ \t]+[^\s:]+:)${argument}`, 'gm');

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
