/** A request for objects, taken apart. `name` and `subresource` are empty where the URL has none. */
export interface ResourcePath {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
}

/**
 * Takes `/api/v1/…` and `/apis/<group>/<version>/…` apart; `undefined` for anything else. The segment after a namespace
 * is a resource in it, except for the subresources of the Namespace itself.
 */
export function parseResourcePath(pathname: string): ResourcePath | undefined {
  const parts = pathname
    .split('/')
    .filter((part) => part !== '')
    .map(decode);
  const [root = '', first = '', second = ''] = parts;
  const core = root === 'api';
  if (!core && root !== 'apis') return undefined;
  const group = core ? '' : first;
  const version = core ? first : second;
  const rest = parts.slice(core ? 2 : 3);
  const [plural = '', name = '', next = '', ...more] = rest;
  if (plural === '') return undefined;
  if (plural === 'namespaces' && next !== '' && !(core && isNamespacePart(next, more))) {
    const [inner = '', subresource = ''] = more;
    return { group, version, plural: next, namespace: name, name: inner, subresource };
  }
  return { group, version, plural, namespace: '', name, subresource: next };
}

function isNamespacePart(segment: string, more: readonly string[]): boolean {
  return more.length === 0 && (segment === 'status' || segment === 'finalize');
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
