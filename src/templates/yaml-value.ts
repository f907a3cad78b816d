import type { Document } from 'yaml';
import { errorMessage } from '../lib/error-message.ts';

/** The value of a YAML document without aliases: a few of them can stand for more than any memory has. Throws a RangeError. */
export function yamlValue(document: Document.Parsed): unknown {
  const [error] = document.errors;
  if (error !== undefined)
    throw new RangeError(`this is not YAML: ${error.message} (at character ${error.pos[0] + 1})`);
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch (cause) {
    throw new RangeError(`this YAML cannot be taken: ${errorMessage(cause)}`, { cause });
  }
}
