import type { Parsed } from '../../parsed.ts';
import { isPortNumber } from '../../is-port-number.ts';
import { showValue } from '../../show-value.ts';

const longest = 2048;

/** Where to send a client. */
export interface RedirectUrl {
  /** Absolute, as it stands in `Location` or before the request's own path. */
  readonly url: string;
  /** It ends with its host, so that the request's path and query are kept. */
  readonly keepsPath: boolean;
}

/** An absolute http or https URL of visible ASCII, without a user in it. Without a path it is a place to find the same path at. */
export function redirectUrl(text: string): Parsed<RedirectUrl> {
  const url = text.trim();
  const parts =
    /^(https?):\/\/([a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::(\d{1,5}))?([/?#][\x21-\x7e]*)?$/i.exec(url);
  const port = parts?.[3];
  if (parts === null || url.length > longest || (port !== undefined && !isPortNumber(Number(port)))) {
    return { fault: `must be a URL such as "https://example.com/new": ${showValue(text)}` };
  }
  const keepsPath = parts[4] === undefined || parts[4] === '/';
  return { value: { url: parts[4] === '/' ? url.slice(0, -1) : url, keepsPath } };
}
