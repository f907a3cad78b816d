import { CodedError } from '../../lib/coded-error.ts';

/** Where one side of a comparison is. */
export type Place =
  | { readonly kind: 'pod'; readonly namespace: string; readonly name: string }
  | { readonly kind: 'pods' }
  | { readonly kind: 'live' }
  | { readonly kind: 'path'; readonly path: string };

/**
 * `pod://NAMESPACE/NAME`, `pods`, `live`, else a path. A file that is called like one of the words is written `./live`.
 *
 * @throws CodedError `HAPTIC_ERR_CLI_USAGE` naming the flag
 */
export function parsePlace(text: string, flag: string): Place {
  if (text === 'pods' || text === 'live') return { kind: text };
  const [, scheme, rest = ''] = /^([a-z]+):\/\/(.*)$/.exec(text) ?? [];
  if (scheme === undefined) {
    if (text === '') throw usage(`${flag} must name a place`);
    return { kind: 'path', path: text };
  }
  const [, namespace, name] = /^([^/]+)\/([^/]+)$/.exec(rest) ?? [];
  if (scheme !== 'pod' || namespace === undefined || name === undefined)
    throw usage(`${flag} must be a path, pod://NAMESPACE/NAME, pods or live, not "${text}"`);
  return { kind: 'pod', namespace, name };
}

function usage(message: string): CodedError {
  return new CodedError('HAPTIC_ERR_CLI_USAGE', message);
}
