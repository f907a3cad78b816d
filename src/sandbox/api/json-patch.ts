import fastJsonPatch from 'fast-json-patch';
import { apiError } from './api-status.ts';

/** JSON patch (RFC 6902). A patch that is malformed is a 400, one that does not fit the object a 422. */
export function jsonPatch(target: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch)) throw apiError(400, 'a JSON patch is a list of operations');
  const operations = patch as fastJsonPatch.Operation[];
  try {
    return fastJsonPatch.applyPatch(structuredClone(target), operations, true, true, true).newDocument;
  } catch (error) {
    const detail = error instanceof Error ? firstLine(error) : 'it does not apply';
    throw apiError(422, `the server rejected our request due to an error in our request: ${detail}`);
  }
}

function firstLine(error: Error): string {
  return error.message.split('\n', 1)[0] ?? '';
}
