import type { Parsed } from '../../parsed.ts';
import { showValue } from '../../show-value.ts';

/** Of the names that HTTP allows those that mean nothing to HAProxy; in lower case. `refusal` says why one may not be touched. */
export function headerName(text: string, refusal: (name: string) => string | undefined): Parsed<string> {
  const name = text.toLowerCase();
  if (!/^[a-z0-9][a-z0-9_.-]{0,99}$/.test(name))
    return { fault: `must name a header by letters, digits, "-", "_" and ".", not ${showValue(text)}` };
  const reason = refusal(name);
  return reason === undefined ? { value: name } : { fault: `cannot touch ${showValue(name)}: ${reason}` };
}
