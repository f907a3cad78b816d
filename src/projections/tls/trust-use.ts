import type { Owner } from '../../lib/owner.ts';
import type { SecretRef } from './secret-ref.ts';

/** An object that names a Secret of authorities. */
export interface TrustUse {
  readonly secret: SecretRef;
  readonly owner: Owner;
  /** The field that names it. */
  readonly field: string;
  /** What follows where the Secret cannot be used, in words. */
  readonly effect: string;
}
