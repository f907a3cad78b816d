import { readMapLine } from '../../protocol/map-line.ts';

/** The entries of a map file as payload lines (`key value`). Undefined when a line cannot be said at runtime. */
export function parseMapFile(content: Buffer): string[] | undefined {
  const entries: string[] = [];
  for (const raw of content.toString('utf8').split('\n')) {
    const line = readMapLine(raw);
    if (line.kind === 'unsayable') return undefined;
    if (line.kind === 'entry') entries.push(`${line.key} ${line.value}`);
  }
  return entries;
}
