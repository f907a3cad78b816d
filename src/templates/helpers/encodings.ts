import { createHash, createHmac } from 'node:crypto';
import { parseDocument, stringify } from 'yaml';
import { digest } from '../../lib/digest.ts';
import { errorMessage } from '../../lib/error-message.ts';
import { isNestedDeeper } from '../../lib/is-nested-deeper.ts';
import { maxNesting } from '../../lib/max-nesting.ts';
import { anyNumber, type HelperSpec, type HelperTable } from '../helper-spec.ts';
import { smallYaml } from '../small-yaml.ts';
import { stableJson } from '../../lib/stable-json.ts';
import { unpackTarGz } from '../unpack-tar-gz.ts';
import { valueHelper as value } from '../value-helper.ts';
import { yamlValue } from '../yaml-value.ts';
import { countOf, textOf } from './arguments.ts';

/** Text from data and back. */
export const encodingHelpers: HelperTable = {
  json: {
    signature: 'json x indent',
    summary:
      'The value as JSON, on one line unless an indent is given, with sorted keys. Printed, it is for files and `k8sResources`, where it is a safe YAML value, too; in the configuration print it as `{{quoted (json x)}}`.',
    example: { whole: '{{#file "general/ports.json"}}{{json extraContext.ports}}{{/file}}' },
    output: 'text',
    prints: ['file', 'resource'],
    args: [1, 2],
    call: ([from, indent]) => stableJson(from, indent === undefined ? 0 : countOf(indent, 10)),
  },
  parseJson: value(
    'parseJson text',
    'The value that the JSON text stands for.',
    [1, 1],
    ([from]) => {
      let parsed: unknown;
      try {
        parsed = JSON.parse(textOf(from));
      } catch (error) {
        throw new RangeError(`the text is not JSON: ${errorMessage(error).slice(0, 100)}`, { cause: error });
      }
      if (isNestedDeeper(parsed, maxNesting))
        throw new RangeError(`the JSON is nested more than ${maxNesting} deep`);
      return parsed;
    },
    `{{lookup (parseJson '{"a": [1, 2]}') "a" 1}}`,
  ),
  yaml: {
    signature: 'yaml x indent',
    summary:
      'The value as YAML, each line moved in by `indent` spaces, with sorted keys. For files and `k8sResources`.',
    example: { whole: '{{#file "general/site.yaml"}}site:\n{{yaml extraContext.limits 2}}{{/file}}' },
    output: 'text',
    prints: ['file', 'resource'],
    args: [1, 2],
    call: ([from, indent]) => {
      const space = ' '.repeat(indent === undefined ? 0 : countOf(indent, 100));
      // Texts of several lines between quotes, on one line: a block's own blanks at its beginning and end would not survive being moved in.
      const text = stringify(JSON.parse(stableJson(from, 0)), {
        lineWidth: 0,
        aliasDuplicateObjects: false,
        blockQuote: false,
        doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
      });
      // Not by a regular expression: JavaScript's `^` sees lines where YAML has none (U+2028).
      return text
        .split('\n')
        .map((line) => (line === '' ? '' : space + line))
        .join('\n');
    },
  },
  parseYaml: value(
    'parseYaml text',
    'The value that the YAML text stands for. Aliases are not taken.',
    [1, 1],
    ([from]) => yamlValue(parseDocument(smallYaml(textOf(from)), { prettyErrors: false, uniqueKeys: false })),
    '{{lookup (parseYaml "a: {b: 1}") "a" "b"}}',
  ),
  base64Encode: value(
    'base64Encode text',
    'The text in base64.',
    [1, 1],
    ([from]) => Buffer.from(textOf(from)).toString('base64'),
    '{{base64Encode "hello"}}',
  ),
  base64Decode: value(
    'base64Decode text',
    'The text behind base64, as in Secrets.',
    [1, 1],
    ([from]) => Buffer.from(textOf(from), 'base64').toString('utf8'),
    '{{base64Decode "aGVsbG8="}}',
  ),
  hex: value(
    'hex text',
    'Its bytes in hexadecimal.',
    [1, 1],
    ([from]) => Buffer.from(textOf(from)).toString('hex'),
    '{{hex "hi"}}',
  ),
  urlEncode: value(
    'urlEncode text',
    'For a query or path of a URL, by percent signs.',
    [1, 1],
    ([from]) =>
      encodeURIComponent(textOf(from)).replace(
        /[!'()*]/g,
        (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
      ),
    '{{quoted (urlEncode "a b/c")}}',
  ),
  urlDecode: value(
    'urlDecode text',
    'The text behind percent signs.',
    [1, 1],
    ([from]) => {
      try {
        return decodeURIComponent(textOf(from));
      } catch (error) {
        throw new RangeError(`${JSON.stringify(from)} is not encoded by percent signs`, { cause: error });
      }
    },
    '{{quoted (urlDecode "a%20b")}}',
  ),
  htmlEscape: value(
    'htmlEscape text',
    'With the characters that HTML gives a meaning as entities.',
    [1, 1],
    ([from]) => textOf(from).replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`),
    { whole: '{{#file "general/page.html"}}<p>{{{htmlEscape "a < b"}}}</p>{{/file}}' },
  ),
  digest: value(
    'digest a b …',
    'A short digest (16 hex digits) of its arguments, for names.',
    [1, anyNumber],
    (args) => digest(args.map((arg) => `${textOf(arg).length}:${textOf(arg)}`).join('')),
    '{{digest w.metadata.namespace w.metadata.name}}',
  ),
  md5: hash('md5', '{{md5 "hello"}}'),
  sha1: hash('sha1', '{{sha1 "hello"}}'),
  sha256: hash('sha256', '{{slice (sha256 "hello") 0 16}}'),
  hmacSha256: value(
    'hmacSha256 text "key"',
    'The HMAC by SHA-256, in hexadecimal.',
    [2, 2],
    ([from, key]) => createHmac('sha256', textOf(key)).update(textOf(from)).digest('hex'),
    '{{slice (hmacSha256 "hello" "key") 0 16}}',
  ),
  untarGz: value(
    'untarGz base64',
    'An object of the files in a gzipped tar archive, texts by path. At most 1,000 files and 16 MiB.',
    [1, 1],
    ([from]) => unpackTarGz(Buffer.from(textOf(from), 'base64')),
    '{{#each (untarGz extraContext.archive) as |content path|}}{{path}}={{quoted (trim content)}} {{/each}}',
  ),
};

function hash(name: string, example: string): HelperSpec {
  return value(
    `${name} text`,
    `The ${name.toUpperCase().replace('SHA', 'SHA-')} digest, in hexadecimal.`,
    [1, 1],
    ([from]) => createHash(name).update(textOf(from)).digest('hex'),
    example,
  );
}
