import type { Parsed } from '../../parsed.ts';
import { showValue } from '../../show-value.ts';

/**
 * A path as requests have it: begins with one slash, as two would begin the name of another host, and is visible ASCII without `?` and `#`; anything else
 * is percent-encoded. No element is `.` or `..`.
 */
export function urlPath(text: string): Parsed<string> {
  const path = text.trim();
  if (
    path.length <= 2048 &&
    !/\/(?:\.|%2e){1,2}(?:\/|$)/i.test(path) &&
    /^\/(?!\/)[\x21\x22\x24-\x3e\x40-\x5b\x5d-\x7e]*$/.test(path)
  )
    return { value: path };
  return { fault: `must be a path such as "/app", not ${showValue(text)}` };
}
