/** A body and what it is. */
export interface ErrorPage {
  readonly type: string;
  /** Without control characters; they are put together by line feeds. */
  readonly lines: readonly string[];
}

/** Statuses that HAProxy answers by itself with, once it knows the route. */
export const errorStatuses = [403, 413, 429, 500, 502, 503, 504] as const;

export type ErrorPages = {
  readonly [Status in (typeof errorStatuses)[number] as `httpResponse${Status}`]?: ErrorPage;
};
