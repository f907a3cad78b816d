import { valueAt } from './value-at.ts';

/** A path as messages write it: `validators[0].name`, with the indexes of lists in brackets. `root` tells what is a list. */
export function fieldText(path: readonly string[], root: unknown): string {
  return path
    .map((key, index) => {
      if (Array.isArray(valueAt(root, path.slice(0, index)))) return `[${key}]`;
      return index === 0 ? key : `.${key}`;
    })
    .join('');
}
