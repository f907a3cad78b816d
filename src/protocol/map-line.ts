import { isPayloadMapValue, isSafeMapKey } from './safe-token.ts';

/** `nothing`: HAProxy skips the line. `unsayable`: it has an entry that only a file can hold. */
export type MapLine =
  | { readonly kind: 'entry'; readonly key: string; readonly value: string }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'unsayable' };

/**
 * One line of a map file, without its line feed, as HAProxy reads it: blank lines and comments are skipped, the key ends at the first
 * blank. Blanks are spaces and tabs alone: a no-break space, for one, belongs to the value.
 */
export function readMapLine(raw: string): MapLine {
  const line = raw.replace(/^[ \t]+|[ \t]*\r?$/g, '');
  if (line === '' || line.startsWith('#')) return { kind: 'nothing' };
  const end = line.search(/[ \t]/);
  if (end < 0) return { kind: 'unsayable' };
  const key = line.slice(0, end);
  const value = line.slice(end).replace(/^[ \t]+/, '');
  return isSafeMapKey(key) && isPayloadMapValue(value)
    ? { kind: 'entry', key, value }
    : { kind: 'unsayable' };
}
