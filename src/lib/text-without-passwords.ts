/**
 * Lines that say who a user is. What follows goes as a whole: how it is quoted and what else stands there decides nothing then, and a user's name
 * comes from a Secret, too.
 */
const user = /^([ \t]*user[ \t]+)[^\n]*password[^\n]*/gm;
const statsUser = /^([ \t]*stats[ \t]+auth[ \t]+)[^\n]+/gm;
/** What stands in every text that has one. */
const marks: readonly RegExp[] = [/password/, /stats[ \t]+auth/];

/** Lines of a haproxy.cfg without its users and their passwords, plain or hashed: each is replaced by `[redacted]`. The same text where there are none. */
export function textWithoutPasswords(text: string): string {
  if (!marks.some((mark) => mark.test(text))) return text;
  return text.replaceAll(user, '$1[redacted]').replaceAll(statsUser, '$1[redacted]');
}
