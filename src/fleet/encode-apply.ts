import FormData from 'form-data';
import type { ApplyRequest } from '../protocol/apply-request.ts';

export interface EncodedApply {
  readonly body: Buffer;
  /** Content type with the boundary. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * `multipart/form-data` with the manifest first; a part's filename is the file's full path. Made in one go: the web's
 * FormData is read through streams, which costs a request that somebody waits for a millisecond of turns.
 */
export function encodeApply({ manifest, parts, plan }: ApplyRequest): EncodedApply {
  const form = new FormData();
  form.append('manifest', JSON.stringify(manifest));
  for (const { path, bytes } of parts) form.append('file', joined(bytes), { filepath: path, contentType });
  if (plan !== undefined) form.append('plan', joined([plan]), { filepath: 'plan', contentType });
  return { body: form.getBuffer(), headers: form.getHeaders() };
}

const contentType = 'application/octet-stream';

function joined(runs: readonly Uint8Array[]): Buffer {
  const [only] = runs;
  if (runs.length !== 1 || only === undefined) return Buffer.concat(runs);
  return Buffer.from(only.buffer, only.byteOffset, only.byteLength);
}
