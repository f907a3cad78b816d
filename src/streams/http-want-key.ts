import { createHash } from 'node:crypto';
import type { HttpWant } from '../protocol/http-content.ts';

/**
 * Tells what is wanted of a URL from everything else that is: credentials and media types count. Nothing can be read out of it, and nobody
 * can find another want with the same one.
 */
export function httpWantKey({ url, headers, contentType }: HttpWant): string {
  const identity = JSON.stringify([url, Object.entries(headers).sort(), contentType]);
  return `url ${createHash('sha256').update(identity).digest('hex')}`;
}
