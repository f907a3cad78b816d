import { variableMark } from './variable-mark.ts';

/**
 * Whether a word of a configuration, where HAProxy takes it for a path, may lead out of the folder that HAProxy runs in: an
 * absolute one but for `/dev/null`, one that climbs, one with a variable in it.
 */
export function isOutside(word: string): boolean {
  const path = word.replace(/^(?:(?:virt|opt|file)@)+/, '');
  if (path === '/dev/null') return false;
  return (
    path.startsWith('/') ||
    path.includes(variableMark) ||
    (path.includes('..') && path.split('/').includes('..'))
  );
}
