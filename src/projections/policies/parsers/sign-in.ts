import type { Parsed } from '../../parsed.ts';
import { showValue } from '../../show-value.ts';
import { webAddress } from './web-address.ts';

/** Where clients sign in: a web address, or what follows the host of one. Without a fragment, since a parameter is added to it. */
export function signIn(text: string): Parsed<string> {
  const value = text.trim();
  // Two slashes would begin the name of another host.
  const address = webAddress(/^\/(?!\/)/.test(value) ? `https://host${value}` : value);
  if ('value' in address && !value.includes('#')) return { value };
  return {
    fault: `must be a URL such as "https://login.example.com/start", or a path, not ${showValue(text)}`,
  };
}
