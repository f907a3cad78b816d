import type { HeldFile } from './held-files.ts';

/** A file of the desired set whose bytes are verified and wait to be put in place: in memory, or in a staging file if large. */
export interface StagedFile {
  readonly path: string;
  readonly held: HeldFile;
  readonly source: { readonly bytes: Buffer } | { readonly tempPath: string };
}

/** Certificates may hold private keys. */
export function modeOf(kind: HeldFile['kind']): number {
  return kind === 'cert' ? 0o600 : 0o644;
}
