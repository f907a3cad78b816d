import type { HeldFile } from './held-files.ts';

/** A content as a change of another one: `bytes` in the place of `length` bytes at `offset`. */
export interface FilePatch {
  readonly base: Pick<HeldFile, 'digest' | 'size'>;
  readonly offset: number;
  readonly length: number;
  readonly bytes: Buffer;
}
