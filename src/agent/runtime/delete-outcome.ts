/** `busy`: something still uses it, try later. `impossible`: trying again cannot help. */
export type DeleteOutcome = 'gone' | 'busy' | 'impossible';

/**
 * What HAProxy's answer to a `del` means. A target that is not there counts as gone: that is what was wanted. 3.4 may leave out
 * `Backend deleted.` when its message buffer is full; the next try then finds no such backend. What is neither a success nor a passing condition
 * (references from other sections, not in maintenance) never passes by waiting.
 */
export function deleteOutcome(reply: string): DeleteOutcome {
  if (/Server deleted|Backend deleted|No such (server|backend)/.test(reply)) return 'gone';
  if (/still has|Only a backend without server|^$/.test(reply)) return 'busy';
  return 'impossible';
}
