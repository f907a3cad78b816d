import { isSafeToken } from '../../protocol/safe-token.ts';

/** Proxy, profile and server names: HAProxy's own alphabet, so never anything that a command line would read otherwise. */
export function isProxyName(text: string): boolean {
  return /^[A-Za-z0-9_.:-]+$/.test(text);
}

/** A map path as HAProxy names it at runtime: a leading `@` would be a version there and `#` an id. */
export function isSafeMapPath(text: string): boolean {
  return isSafeToken(text) && !/^[@#]/.test(text);
}
