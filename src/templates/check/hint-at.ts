import { nearestName } from '../../lib/nearest-name.ts';

/** What goes on after an unknown name: the one that may be meant. Empty: there is none. */
export function hintAt(name: string, known: readonly string[]): string {
  const meant = nearestName(name, known);
  return meant === undefined ? '' : `; did you mean "${meant}"?`;
}
