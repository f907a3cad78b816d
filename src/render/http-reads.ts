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
   * Called in projectors whenever a template reads a URL: must be idempotent, and the same for equal wants. In a what-if nothing may come
   * of it. Returns the key, which stands in no message.
   */
  readonly want: (want: HttpWant, isWhatIf: boolean) => string;
  /** What a key without entry reads as. */
  readonly absent: HttpContent;
  /** Told what became of an item that had read the key, in what-ifs too. */
  readonly told?: (key: string, outcome: ReadOutcome) => void;
}

/** `pending`: it failed since a content is not there yet. */
export type ReadOutcome = 'printed' | 'failed' | 'pending';
