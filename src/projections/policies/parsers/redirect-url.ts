import type { Parsed } from '../../parsed.ts';
import { webAddress } from './web-address.ts';

/** Where to send a client. */
export interface RedirectUrl {
  /** Absolute, as it stands in `Location` or before the request's own path. */
  readonly url: string;
  /** It ends with its host, so that the request's path and query are kept. */
  readonly keepsPath: boolean;
}

/** A web address. Without a path it is a place to find the same path at. */
export function redirectUrl(text: string): Parsed<RedirectUrl> {
  const address = webAddress(text);
  if ('fault' in address) return address;
  const { value } = address;
  const [origin] = /^https?:\/\/[^/?#]+/i.exec(value) ?? [''];
  const keepsPath = value === origin || value === `${origin}/`;
  return { value: { url: keepsPath ? origin : value, keepsPath } };
}
