import type { CheckScope } from './check-scope.ts';

/** One thing that is wrong, with the field of the admitted object where it is that object's. */
export interface AdmissionCause {
  /** `spec.rules[0].host`; empty when the object as a whole is meant. */
  readonly field: string;
  readonly message: string;
}

/** What is answered about an object. */
export type Admission =
  | { readonly kind: 'allowed'; readonly warnings: readonly string[]; readonly scope: CheckScope }
  | {
      readonly kind: 'denied';
      /** At least one. */
      readonly causes: readonly AdmissionCause[];
      readonly warnings: readonly string[];
      readonly scope: CheckScope;
    }
  /** Nothing can be said: whether the object gets in is for the failure policy to decide. */
  | { readonly kind: 'unknown'; readonly message: string }
  /** The question is not one for this program. */
  | { readonly kind: 'unwatched'; readonly message: string };
