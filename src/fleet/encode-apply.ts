import { FormData } from 'undici';
import type { ApplyRequest } from '../protocol/apply-request.ts';

/** `multipart/form-data` with the manifest first; a part's filename is the file's full path. */
export function encodeApply({ manifest, parts, plan }: ApplyRequest): FormData {
  const form = new FormData();
  form.append('manifest', JSON.stringify(manifest));
  for (const part of parts) form.append('file', new File(part.bytes as Uint8Array<ArrayBuffer>[], part.path));
  if (plan !== undefined) form.append('plan', new File([plan], 'plan'));
  return form;
}
