import type { Parsed } from '../../parsed.ts';
import { showValue } from '../../show-value.ts';
import { boolean } from '../parsers/boolean.ts';
import { listOf } from '../parsers/list-of.ts';
import { wholeNumber } from '../parsers/whole-number.ts';
import type { PolicyTopic } from '../policy-topic.ts';

const common = { scope: 'backend', shape: 'value' } as const;

/** Responses that HAProxy makes smaller. It reads all of this from its configuration, so each combination is a profile. */
export const compression: PolicyTopic = {
  name: 'compression',
  title: 'Compression',
  switch: 'useGzip',
  fields: {
    useGzip: {
      ...common,
      key: 'use-gzip',
      parse: boolean,
      values: '`true` or `false`',
      summary: 'Compresses responses for clients that take gzip, where the server has not done so.',
      example: 'true',
    },
    gzipTypes: {
      ...common,
      key: 'gzip-types',
      parse: listOf(mediaType, 32),
      values: 'media types between commas or blanks',
      summary: 'Which responses, by `Content-Type`. Default: text, JavaScript, JSON, XML and SVG.',
      example: 'text/html, application/json',
    },
    gzipMinLength: {
      ...common,
      key: 'gzip-min-length',
      parse: wholeNumber(1, 1_000_000),
      values: 'bytes, up to 1000000',
      summary:
        'Which responses at least, where their length is known. HAProxy 3.2 and later; before, it has no effect.',
      example: '1024',
    },
  },
};

function mediaType(text: string): Parsed<string> {
  const type = text.toLowerCase();
  if (/^[a-z0-9.+-]{1,60}\/[a-z0-9.+-]{1,100}$/.test(type)) return { value: type };
  return { fault: `must be a media type such as "text/html", not ${showValue(text)}` };
}
