/** What a template asks for when it reads a URL. Plain data; `headers` may hold secrets, so it is never shown. */
export interface HttpWant {
  /** Absolute, `http:` or `https:`, without user, password and fragment. */
  readonly url: string;
  /** Of the request, beyond those of conditions: the credentials. Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds from one fetch to the next; 0: fetched once. */
  readonly refresh: number;
  /** Milliseconds that one attempt may take. */
  readonly timeout: number;
  /** Further attempts after an answer of 5xx, or none. */
  readonly retries: number;
  /** Media type that the answer must have: `text/plain`, `application/json`; `*` takes any. Absent: any but pages (HTML). */
  readonly contentType?: string;
}

/** What is known of a URL, as templates see it: accepted content and nothing else. Compared by `digest`. */
export type HttpContent =
  | { readonly kind: 'content'; readonly text: string; readonly digest: string }
  /** There never was an accepted content, and the first one is on its way. */
  | { readonly kind: 'waiting' }
  /** There never was an accepted content, and there is none now. */
  | HttpContentFailure;

export interface HttpContentFailure {
  readonly kind: 'failed';
  /** `FetchFailed`, `ContentRefused`, `AddressRefused`, … */
  readonly reason: string;
  readonly message: string;
}
