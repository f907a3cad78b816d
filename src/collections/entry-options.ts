import type { Owner } from '../lib/owner.ts';
import { equalData } from './equal-data.ts';

/** `DerivedOptions` without its types: methods, so that options of any types fit. The values that they see are the node's own. */
export interface EntryOptions {
  equal?(a: unknown, b: unknown): boolean;
  readonly duplicates?: 'report' | 'expected';
  ownerOf?(value: unknown, key: string): Owner;
}

/** When are two values of an entry the same: as the options say, else as plain data. */
export function equalityOf(options: EntryOptions): (a: unknown, b: unknown) => boolean {
  return options.equal === undefined ? equalData : (a, b) => options.equal?.(a, b) === true;
}

/**
 * Whom a problem of an entry is blamed on: what the node's `ownerOf` says, or the entry itself under the collection's name
 * when there is none or it throws.
 */
export function ownerOfEntry(options: EntryOptions, kind: string, value: unknown, key: string): Owner {
  try {
    if (options.ownerOf !== undefined) return options.ownerOf(value, key);
  } catch {
    return { kind, namespace: '', name: key };
  }
  return { kind, namespace: '', name: key };
}
