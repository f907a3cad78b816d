import { runSlices } from '../lib/run-slices.ts';
import type { ApplyRequest } from '../protocol/apply-request.ts';
import type { ApplyManifest } from '../protocol/wire.ts';
import { encodeParts } from './encode-parts.ts';
import { contentType, formOf, joined, withoutEnd } from './multipart-form.ts';

export interface EncodedApply {
  readonly body: Buffer;
  /** Content type with the boundary. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * `multipart/form-data` with the manifest first; a part's filename is the file's full path. Made in one go: the web's
 * FormData is read through streams, which costs a request that somebody waits for a millisecond of turns.
 *
 * Pods of the same state get the same list of files, the same operations and the same parts, as the same objects: these are encoded
 * once, and only what is each pod's own, the fence, is encoded for each.
 */
export function encodeApply({ manifest, parts, plan }: ApplyRequest): EncodedApply {
  const files = runSlices(encodeParts(parts));
  const head = formOf(files.boundary);
  head.append('manifest', manifestJson(manifest));
  const pieces = [withoutEnd(head), files.body];
  if (plan !== undefined) {
    const tail = formOf(files.boundary);
    tail.append('plan', joined([plan]), { filepath: 'plan', contentType });
    pieces.push(withoutEnd(tail));
  }
  pieces.push(Buffer.from(`--${files.boundary}--\r\n`));
  return { body: Buffer.concat(pieces), headers: head.getHeaders() };
}

const knownJson = new WeakMap<object, string>();

/** The long lists are shared between pods and spliced in; the rest is short. */
function manifestJson({ files, ops, ...own }: ApplyManifest): string {
  return `{"files":${jsonOf(files)},"ops":${jsonOf(ops)},${JSON.stringify(own).slice(1)}`;
}

function jsonOf(list: object): string {
  let json = knownJson.get(list);
  if (json === undefined) {
    json = JSON.stringify(list);
    knownJson.set(list, json);
  }
  return json;
}
