import FormData from 'form-data';
import type { ApplyRequest, FilePart } from '../protocol/apply-request.ts';
import type { ApplyManifest } from '../protocol/wire.ts';

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
  const files = encodedParts(parts);
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

const contentType = 'application/octet-stream';

interface EncodedParts {
  readonly boundary: string;
  /** The parts, without the end of the form. */
  readonly body: Buffer;
}

const knownParts = new WeakMap<readonly FilePart[], EncodedParts>();

function encodedParts(parts: readonly FilePart[]): EncodedParts {
  const known = knownParts.get(parts);
  if (known !== undefined) return known;
  const boundary = new FormData().getBoundary();
  // A form copies all that it has for each part that it prints: with thousands of certificates, gigabytes.
  const pieces = parts.map(({ path, bytes }) => {
    const form = formOf(boundary);
    form.append('file', joined(bytes), { filepath: path, contentType });
    return withoutEnd(form);
  });
  const encoded = { boundary, body: Buffer.concat(pieces) };
  knownParts.set(parts, encoded);
  return encoded;
}

function formOf(boundary: string): FormData {
  const form = new FormData();
  form.setBoundary(boundary);
  return form;
}

function withoutEnd(form: FormData): Buffer {
  const whole = form.getBuffer();
  return whole.subarray(0, whole.byteLength - Buffer.byteLength(`--${form.getBoundary()}--\r\n`));
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

function joined(runs: readonly Uint8Array[]): Buffer {
  const [only] = runs;
  if (runs.length !== 1 || only === undefined) return Buffer.concat(runs);
  return Buffer.from(only.buffer, only.byteOffset, only.byteLength);
}
