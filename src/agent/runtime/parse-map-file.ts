import { isSafeMapKey, isSafeMapValue } from '../../protocol/safe-token.ts';

/**
 * The entries of a map file as payload lines (`key value`), read as HAProxy reads the file: blank lines and comments are
 * skipped, the key ends at the first blank, the value is trimmed. Undefined when a line cannot be said at runtime.
 */
export function parseMapFile(content: Buffer): string[] | undefined {
  const entries: string[] = [];
  for (const raw of content.toString('utf8').split('\n')) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const end = line.search(/[ \t]/);
    if (end < 0) return undefined;
    const key = line.slice(0, end);
    const value = line.slice(end).trim();
    if (!isSafeMapKey(key) || !isSafeMapValue(value)) return undefined;
    entries.push(`${key} ${value}`);
  }
  return entries;
}
