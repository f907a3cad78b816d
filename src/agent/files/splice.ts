import type { FilePatch } from './file-patch.ts';

/** Fills `target`, which has the size of the result, with `base` under a patch; gives it back. */
export function splice(
  target: Buffer,
  base: Buffer,
  { offset, length, bytes }: Pick<FilePatch, 'offset' | 'length' | 'bytes'>,
): Buffer {
  base.copy(target, 0, 0, offset);
  bytes.copy(target, offset);
  base.copy(target, offset + bytes.length, offset + length);
  return target;
}
