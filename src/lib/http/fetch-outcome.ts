/** What a server wants to be told the next time, to say whether anything changed. */
export interface HttpValidators {
  readonly etag?: string;
  readonly lastModified?: string;
  /** Who said so, where redirects led elsewhere: marks mean nothing to others. */
  readonly from?: string;
}

/** How one attempt to fetch a URL ended. Failures are values; their words name no credential. */
export type FetchOutcome =
  | {
      readonly kind: 'fetched';
      readonly text: string;
      /** xxhash64 of the text. */
      readonly digest: string;
      readonly bytes: number;
      readonly validators: HttpValidators;
    }
  /** As the validators say: it is what it was. */
  | { readonly kind: 'unchanged' }
  | FetchFailure;

export interface FetchFailure {
  readonly kind: 'failed';
  readonly reason: FetchFailureReason;
  readonly message: string;
  /** Another attempt may end otherwise: no answer, or one of 5xx. */
  readonly again: boolean;
  /** Milliseconds for which the server wants to be left alone; an hour at most. */
  readonly retryAfter?: number;
}

/**
 * `FetchFailed`: no answer, or one that is no success. `AddressRefused`: the address or host may not be asked. `ContentTooBig`,
 * `ContentUnexpected`: not of the size, type or encoding that is taken. `TooMuchContent`: there is no room for it beside all others.
 */
export type FetchFailureReason =
  'FetchFailed' | 'AddressRefused' | 'ContentTooBig' | 'ContentUnexpected' | 'TooMuchContent';

export function fetchFailure(reason: FetchFailureReason, message: string, again = false): FetchFailure {
  return { kind: 'failed', reason, message, again };
}
