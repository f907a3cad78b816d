import type { Route } from '../model.ts';
import type { Parsed } from '../parsed.ts';
import { showValue } from '../show-value.ts';
import { normalizePath } from './normalize-path.ts';

export type PathMatch = Pick<Route, 'match' | 'path'> & {
  /** The path reads like a regular expression; it is matched literally. */
  readonly looksLikeRegex: boolean;
};

const longestPath = 2048;
const visible = /^[\x21-\x7e]+$/;
const neverInPath = /[?#]/;
/** Backends may leave out path parameters, so `frontend-routing` answers such a request with 400 unless it goes the same way without. */
const parameter = /;|%3B/;
// Linear in the length of the path, whoever wrote it: no repetition runs over what it could start from again.
const regexLike = /[[\]{}|^\\]|\.[*+]|\$$|\([^()]*[|*]/;

/**
 * `pathType` and `path` of one Ingress path. `Exact` matches the whole path of a request; `Prefix` and
 * `ImplementationSpecific` match whole path elements, trailing slashes ignored. A path starts with `/`, has at most 2048
 * characters, all of them visible ASCII, and no `?` or `#`, which no request path contains, nor `;`. Only `ImplementationSpecific`
 * may be without a path, which means `/`. Paths are in the normal form that those of requests are matched in.
 */
export function parsePath(pathType: unknown, path: unknown): Parsed<PathMatch> {
  const absent = path === undefined || path === null || path === '';
  if (absent && pathType !== 'ImplementationSpecific') return { fault: 'must be set' };
  const text = absent ? '/' : path;
  if (typeof text !== 'string') return { fault: `must be a string, not ${showValue(text)}` };
  if (!text.startsWith('/')) return { fault: `must start with "/": ${showValue(text)}` };
  if (text.length > longestPath)
    return { fault: `must have at most ${longestPath} characters, not ${text.length}` };
  if (!visible.test(text)) {
    return { fault: `must be visible ASCII, anything else percent-encoded: ${showValue(text)}` };
  }
  if (neverInPath.test(text)) return { fault: `must not contain "?" or "#": ${showValue(text)}` };
  const normal = normalizePath(text);
  if ('fault' in normal) return normal;
  if (parameter.test(normal.value)) {
    return { fault: `must not contain ";", encoded or not: ${showValue(text)}` };
  }
  const looksLikeRegex = regexLike.test(text);
  if (pathType === 'Exact') return { value: { match: 'exact', path: normal.value, looksLikeRegex } };
  return { value: { match: 'prefix', path: withoutTrailingSlash(normal.value), looksLikeRegex } };
}

function withoutTrailingSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path;
}
