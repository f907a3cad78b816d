import { limits } from '../../protocol/limits.ts';
import { excerpt } from './bare-word.ts';
import { plainText } from './plain-text.ts';

/** The path of a file of the bundle, below HAProxy's base directory: `maps/host.map`. No `..`, no leading slash, no odd characters. */
export function relativePath(value: unknown): string {
  const text = plainText(value);
  const safe = text.split('/').every((part) => /^[A-Za-z0-9_-][A-Za-z0-9_.-]*$/.test(part));
  if (!safe || Buffer.byteLength(text) > limits.pathBytes)
    throw new RangeError(`${excerpt(text)} is not a relative path such as maps/host.map`);
  if (text === 'haproxy.cfg') throw new RangeError('haproxy.cfg is made by haproxyConfig.template');
  return text;
}
