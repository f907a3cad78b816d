import { isRecord } from '../lib/is-record.ts';

/** What a document says at a path; undefined when it says nothing there. */
export function valueAt(spec: unknown, path: readonly string[]): unknown {
  let at = spec;
  for (const key of path) {
    if (Array.isArray(at)) at = (at as readonly unknown[])[Number(key)];
    else if (isRecord(at) && Object.hasOwn(at, key)) at = at[key];
    else return undefined;
  }
  return at;
}
