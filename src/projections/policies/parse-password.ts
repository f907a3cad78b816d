import type { Parsed } from '../parsed.ts';

/** How a password is told to HAProxy. */
export interface Password {
  readonly kind: 'hash' | 'plain';
  /** In no message, tap or published object. */
  readonly password: string;
}

/** Rounds that are the default of SHA-crypt; checking takes 1.5 ms, in which that thread of HAProxy does nothing else. */
const mostRounds = 5_000;
const checked = [
  /^\$1\$[./0-9A-Za-z]{1,8}\$[./0-9A-Za-z]{22}$/,
  /^\$5\$(?:rounds=(\d{1,9})\$)?[./0-9A-Za-z]{1,16}\$[./0-9A-Za-z]{43}$/,
  /^\$6\$(?:rounds=(\d{1,9})\$)?[./0-9A-Za-z]{1,16}\$[./0-9A-Za-z]{86}$/,
];
const refused: readonly (readonly [RegExp, string])[] = [
  [/^\$2[abxy]?\$/, 'bcrypt, which is too slow to check at each request'],
  [/^\$(y|gy|7)\$/, 'yescrypt or scrypt, which are too slow to check at each request'],
  [/^\$argon2/, 'Argon2, which HAProxy cannot check'],
  [/^\$apr1\$/, 'the MD5 of Apache (apr1), which HAProxy cannot check'],
  [/^\{S?SHA\}/i, 'a plain SHA-1, which HAProxy cannot check'],
  [/^[./0-9A-Za-z]{13}$/, 'the crypt of old, which takes the first 8 characters of a password only'],
];

const advice = '$6$, $5$ and $1$ work, and "openssl passwd -6" makes one';

/**
 * A password as password files have it: a hash, or `:` and the password itself. HAProxy checks it at each request, by `crypt`. Nothing of it is in faults.
 */
export function parsePassword(text: string): Parsed<Password> {
  if (text.startsWith(':')) {
    const password = text.slice(1);
    return /^[\x20-\x7e]{1,256}$/.test(password)
      ? { value: { kind: 'plain', password } }
      : { fault: 'has a password that is not made of 1 to 256 printable characters of ASCII' };
  }
  for (const pattern of checked) {
    const match = pattern.exec(text);
    if (match === null) continue;
    return Number(match[1] ?? 0) <= mostRounds
      ? { value: { kind: 'hash', password: text } }
      : {
          fault: `has more than ${mostRounds} rounds, which are too slow to check at each request: ${advice}`,
        };
  }
  const known = refused.find(([pattern]) => pattern.test(text))?.[1];
  return { fault: `has ${known ?? 'no hash of a kind that is known'}: ${advice}` };
}
