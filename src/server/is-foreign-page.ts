import type { FastifyRequest } from 'fastify';

const page = /^\/debug\/?(\?|$)/;

/**
 * Whether a browser asks on behalf of a page that is not served here (Fetch Metadata; of older browsers, which do not say, the origin). It could not
 * read the answer, but it could have profiles and recordings made. A link that leads to the debug page may be followed.
 */
export function isForeignPage({ headers, url }: FastifyRequest): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers;
  if (site === undefined) return origin !== undefined && origin !== `http://${host ?? ''}`;
  if (site === 'same-origin' || site === 'none') return false;
  const isOpened = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return !(isOpened && page.test(url));
}
