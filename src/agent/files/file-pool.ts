import { readFile } from 'node:fs/promises';
import { digest } from '../../lib/digest.ts';
import type { HeldFile } from './held-files.ts';
import type { StagingArea } from './staging-area.ts';

/** Contents that are still on disk under the agent's own names: staged files, links to former ones, the configuration's copy. */
export interface FilePool {
  /** Absolute path of a file with this content. */
  find(held: Pick<HeldFile, 'digest' | 'size'>): string | undefined;
  /** One more: a file of the agent's own with this content. */
  add(held: Pick<HeldFile, 'digest' | 'size'>, file: string): void;
}

/** Hashes every file in the agent's folders: for recovery only. */
export async function openFilePool(area: StagingArea): Promise<FilePool> {
  const known = new Map<string, string>();
  for (const file of await area.leftovers()) {
    const bytes = await readFile(file).catch(() => undefined);
    if (bytes !== undefined) known.set(keyOf({ digest: digest(bytes), size: bytes.length }), file);
  }
  return {
    find: (held) => known.get(keyOf(held)),
    add: (held, file) => known.set(keyOf(held), file),
  };
}

function keyOf({ digest: hash, size }: Pick<HeldFile, 'digest' | 'size'>): string {
  return `${hash}:${String(size)}`;
}
