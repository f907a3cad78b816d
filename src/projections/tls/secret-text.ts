import { isRecord } from '../../lib/is-record.ts';
import type { Parsed } from '../parsed.ts';

/** A field of a Secret's `data` (unvalidated JSON) as text, trimmed; undefined where there is no such field. */
export function secretText(data: unknown, name: string, mostBytes: number): Parsed<string | undefined> {
  const value = isRecord(data) ? data[name] : undefined;
  if (value === undefined || value === null) return { value: undefined };
  if (typeof value !== 'string') return { fault: `has a ${name} that is no text` };
  const bytes = Math.floor((value.length * 3) / 4);
  if (bytes > mostBytes)
    return { fault: `has a ${name} of ${bytes} bytes; ${mostBytes} are enough for any chain` };
  return { value: Buffer.from(value, 'base64').toString('latin1').trim() };
}
