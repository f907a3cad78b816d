import type { AddressRule } from '../model.ts';

/** What Services of type ExternalName may name. */
export interface ExternalNames {
  readonly enabled: boolean;
  /** Names that are trusted: `db.example.com`, or `*.example.com` for every name below. */
  readonly allowedNames: readonly string[];
  /** Domain of the cluster: names below it are Services of anybody. */
  readonly clusterDomain: string;
  /** What is thought of addresses, see `addressRules`. */
  readonly rules: readonly AddressRule[];
}
