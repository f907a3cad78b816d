import path from 'node:path';
import { limits } from '../../protocol/limits.ts';

/**
 * Why a manifest path is not accepted; undefined when it is. Paths are relative to the base dir, in canonical form, at most
 * 255 bytes, and no component begins with a dot: those are the agent's own files.
 */
export function pathProblem(file: string): string | undefined {
  if (file === '') return 'is empty';
  if (Buffer.byteLength(file) > limits.pathBytes) return `is longer than ${String(limits.pathBytes)} bytes`;
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u001f\u007f\\]/.test(file)) return 'contains a control character or a backslash';
  if (path.posix.isAbsolute(file)) return 'is absolute';
  if (file.endsWith('/') || path.posix.normalize(file) !== file) return 'is not in canonical form';
  if (file.split('/').some((part) => part.startsWith('.'))) return 'has a component that begins with a dot';
  return undefined;
}
