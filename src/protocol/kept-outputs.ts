import type { OrderedMap } from '../lib/ordered-map.ts';
import type { FilePart, Output } from './output.ts';

/** A file of an output without its text: pods keep what was printed, but no copy of the bytes of certificates. */
export interface KeptFile extends Omit<FilePart, 'text'> {
  /** xxhash64 of the text, 16 hex digits. */
  readonly digest: string;
}

export interface KeptOutput extends Omit<Output, 'files'> {
  readonly files: readonly KeptFile[];
}

/** Outputs of a render that HAProxy accepted, as they are kept outside of the process that made it. */
export interface KeptOutputs {
  /** `Provenance.configuration` of that render. */
  readonly configuration: string;
  /** By place. */
  readonly outputs: OrderedMap<KeptOutput>;
}
