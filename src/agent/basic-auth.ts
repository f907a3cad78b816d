import { createHash, timingSafeEqual } from 'node:crypto';
import type { Credentials } from './agent-options.ts';

/** True when an `Authorization` header carries exactly these credentials; takes the same time whatever it carries. */
export function isAuthorized(header: string | undefined, credentials: Credentials): boolean {
  const expected = `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}`;
  return timingSafeEqual(sha256(header ?? ''), sha256(expected));
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
