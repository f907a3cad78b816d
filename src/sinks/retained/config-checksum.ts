import { webcrypto } from 'node:crypto';
import { valuesOf } from '../../lib/ordered-map.ts';
import type { Plan } from '../../protocol/plan.ts';

/** `sha256:<hex>`, computed beside the main thread. */
export async function sha256Of(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return `sha256:${Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes)).toString('hex')}`;
}

/** Of a plan's haproxy.cfg: one copy of its bytes on the main thread. Undefined: it has none. */
export async function configChecksum(plan: Plan): Promise<string | undefined> {
  for (const { kind, content } of valuesOf(plan.files))
    if (kind === 'config') return sha256Of(Buffer.concat(content()));
  return undefined;
}
