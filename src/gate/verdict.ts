import type { Owner } from '../lib/owner.ts';
import type { SectionKind } from '../protocol/plan.ts';

/** One message of HAProxy, in its own words, with what it is about as far as that can be told. */
export interface Finding {
  readonly severity: 'alert' | 'warning';
  readonly message: string;
  /** Path of the file that the message names, e.g. `haproxy.cfg` or a map. */
  readonly file?: string;
  /** 1-based line of `file`. */
  readonly line?: number;
  readonly section?: { readonly kind: SectionKind; readonly name: string };
  /** Key of the map entry that stands on the line. */
  readonly mapKey?: string;
  readonly owner?: Owner;
  /** Whose line names the file that `owner` brought, where that is another object: either may be to blame, since messages repeat what lines say. */
  readonly usedBy?: Owner;
  /** Others that have the same: users of a profile that an object brought. */
  readonly sharedBy?: readonly Owner[];
  /** Who says so, where it is not HAProxy: the name of a validator. */
  readonly validator?: string;
  /** Template, line and column that printed the section. */
  readonly template?: string;
}

/** What HAProxy says of one plan. */
export type Verdict =
  | { readonly kind: 'accepted'; readonly planId: string; readonly warnings: readonly Finding[] }
  | {
      readonly kind: 'refused';
      readonly planId: string;
      /** At least one; alerts only. */
      readonly findings: readonly Finding[];
      /** Everything HAProxy printed, private paths taken out. */
      readonly output: string;
    }
  /** The check could not run, which says nothing about the content. */
  | { readonly kind: 'unchecked'; readonly planId: string; readonly message: string };
