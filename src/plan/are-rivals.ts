import { getEntry } from '../lib/ordered-map.ts';
import type { Plan } from '../protocol/plan.ts';
import { certificateTraits } from './certificate-traits.ts';

/** Whether the order of two certificates for one host name matters: not if their keys are of different types, as far as is known. */
export function areRivals(files: Plan['files'], a: string, b: string): boolean {
  const typeOf = (path: string) => {
    const file = getEntry(files, path);
    return file && certificateTraits(file)?.keyType;
  };
  const type = typeOf(a);
  if (type === undefined) return true;
  const other = typeOf(b);
  return other === undefined || type === other;
}
