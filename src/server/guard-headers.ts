/**
 * For a browser, of every answer of the debug pages: what is told comes from users of the cluster, so that it is nothing to be run, to be
 * guessed at, to be kept, or to be shown in a page of somebody else.
 */
export const guardHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;
