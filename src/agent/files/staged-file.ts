import type { FilePatch } from './file-patch.ts';
import type { HeldFile } from './held-files.ts';

/** A file of the desired set whose bytes are verified and wait to be put in place: in memory, or in a staging file if large. */
export interface StagedFile {
  readonly path: string;
  readonly held: HeldFile;
  readonly source:
    | {
        readonly bytes: Buffer;
        /** How it came, if it came as a change of what was held. */
        readonly patch?: FilePatch;
      }
    | { readonly tempPath: string };
}

/** Certificates may hold private keys. */
export function modeOf(kind: HeldFile['kind']): number {
  return kind === 'cert' ? 0o600 : 0o644;
}
