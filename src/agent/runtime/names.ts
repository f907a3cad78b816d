import { isSafeToken } from '../../protocol/safe-token.ts';
import { pathProblem } from '../files/path-rules.ts';

/** Proxy, profile and server names: HAProxy's own alphabet, so never anything that a command line would read otherwise. */
export function isProxyName(text: string): boolean {
  return /^[A-Za-z0-9_.:-]+$/.test(text);
}

/**
 * A file's path as HAProxy names it at runtime: a path the agent would write to that is also one word of a command. A leading `@` would be a
 * version or a store there, `#` an id, `*` an open transaction.
 */
export function isRuntimePath(text: string): boolean {
  return isSafeToken(text) && !/^[@#*]/.test(text) && pathProblem(text) === undefined;
}

/** One word of a line of a crt-list: quotes, brackets and comments have a meaning there. */
export function isCrtListWord(text: string): boolean {
  return isSafeToken(text) && !/["'[\]#]/.test(text);
}

/** A certificate's path in a crt-list: `:NUMBER` at its end would be read as a line number by `del ssl crt-list`. */
export function isCrtListPath(text: string): boolean {
  return isRuntimePath(text) && isCrtListWord(text) && !/:\d*$/.test(text);
}
