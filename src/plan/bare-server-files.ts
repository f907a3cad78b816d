import type { Chunk } from '../lib/ordered-map.ts';
import type { Backend, Keyword, Plan, Section } from '../protocol/plan.ts';

const trustKeywords: readonly string[] = ['ca-file', 'crl-file'];

/** Files that servers without a certificate of their own name, by chunk: a version is scanned where it differs. */
const ofBackends = new WeakMap<Chunk<Backend>, ReadonlySet<string>>();
const ofSections = new WeakMap<Chunk<Section>, ReadonlySet<string>>();

/**
 * Whether a server that has no `crt` names this CA or CRL file. HAProxy (all lines) finds the servers to give another content to by their certificates, so to
 * these it says that it has done so, and has not.
 */
export function isNamedByBareServer({ backends, sections }: Plan, path: string): boolean {
  const names = (file: string): boolean => file === path || file.endsWith(`/${path}`);
  return (
    backends.chunks.some((chunk) => some(filesOfBackends(chunk), names)) ||
    sections.chunks.some((chunk) => some(filesOfSections(chunk), names))
  );
}

function filesOfBackends(chunk: Chunk<Backend>): ReadonlySet<string> {
  const held = ofBackends.get(chunk);
  if (held !== undefined) return held;
  const found = new Set<string>();
  for (const { servers, defaultServer } of chunk.values)
    for (const { extra } of servers)
      if (extra.length > 0 || defaultServer.length > 0) addTrust(found, [...defaultServer, ...extra]);
  ofBackends.set(chunk, found);
  return found;
}

function addTrust(found: Set<string>, keywords: readonly Keyword[]): void {
  if (keywords.some(({ name }) => name === 'crt')) return;
  for (const { name, args } of keywords) if (trustKeywords.includes(name)) found.add(args[0] ?? '');
}

/** Lines of servers in text; those of a profile's `default-server` may get their certificate elsewhere, and are taken for bare. */
function filesOfSections(chunk: Chunk<Section>): ReadonlySet<string> {
  const held = ofSections.get(chunk);
  if (held !== undefined) return held;
  const found = new Set<string>();
  for (const { kind, text } of chunk.values) {
    if (kind === 'backend') continue;
    for (const [line] of text.matchAll(/^[ \t]*(?:default-)?server[ \t].*$/gm))
      if (!/\scrt\s/.test(line))
        for (const [, name = ''] of line.matchAll(/\s(?:ca-file|crl-file)\s+"?([^\s"]+)/g)) found.add(name);
  }
  ofSections.set(chunk, found);
  return found;
}

function some(files: ReadonlySet<string>, holds: (file: string) => boolean): boolean {
  for (const file of files) if (holds(file)) return true;
  return false;
}
