import FormData from 'form-data';
import type { Slices } from '../lib/slices.ts';
import type { FilePart } from '../protocol/apply-request.ts';
import { contentType, formOf, joined, withoutEnd } from './multipart-form.ts';

export interface EncodedParts {
  readonly boundary: string;
  /** The parts, without the end of the form. */
  readonly body: Buffer;
}

const known = new WeakMap<readonly FilePart[], EncodedParts>();

/** Parts between two pauses. */
const batch = 64;

/**
 * The parts of an apply as those of a form, with pauses: thousands of certificates take longer than anybody else may wait. The same list is encoded
 * once, for all pods that get it.
 */
export function* encodeParts(parts: readonly FilePart[]): Slices<EncodedParts> {
  const found = known.get(parts);
  if (found !== undefined) return found;
  const boundary = new FormData().getBoundary();
  const pieces: Buffer[] = [];
  for (const { path, bytes } of parts) {
    // A form copies all that it has for each part that it prints: with thousands of certificates, gigabytes.
    const form = formOf(boundary);
    form.append('file', joined(bytes), { filepath: path, contentType });
    pieces.push(withoutEnd(form));
    if (pieces.length % batch === 0) yield;
  }
  const encoded = { boundary, body: Buffer.concat(pieces) };
  known.set(parts, encoded);
  return encoded;
}
