import type { Collection } from '../collections/types.ts';
import type { HttpContent, HttpWant } from '../protocol/http-content.ts';

/**
 * HTTP content as templates read it: a collection like any other, and a place to say what is wanted. Fixtures are such a pair too:
 * `{ contents: graph.source('http'), want: ({ url }) => url, absent: { kind: 'failed', … } }`.
 */
export interface HttpReads {
  /** Accepted content, by what `want` answers. */
  readonly contents: Collection<HttpContent>;
  /**
   * Called in projectors whenever a template reads a URL, also in what-ifs: must be idempotent, and the same for equal wants. Returns
   * the key, which stands in no message.
   */
  readonly want: (want: HttpWant) => string;
  /** What a key without entry reads as. */
  readonly absent: HttpContent;
  /** Told of an item that failed after it had read the key, in what-ifs too. */
  readonly failed?: (key: string) => void;
}
