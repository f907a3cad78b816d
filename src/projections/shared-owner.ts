import type { Owner } from '../lib/owner.ts';

/** Whom to blame for an entry made from several objects' facts: the first of them. */
export function sharedOwner(facts: readonly { readonly owner: Owner }[], key: string): Owner {
  return facts[0]?.owner ?? { kind: 'Route', namespace: '', name: key };
}
