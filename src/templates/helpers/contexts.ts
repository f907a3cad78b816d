import { commentText } from '../context/comment-text.ts';
import { logFormatArgument } from '../context/log-format-argument.ts';
import { mapKey } from '../context/map-key.ts';
import { mapValue } from '../context/map-value.ts';
import { quoteArgument } from '../context/quote-argument.ts';
import { regexArgument } from '../context/regex-argument.ts';
import { sectionName } from '../context/section-name.ts';
import type { HelperSpec, HelperTable } from '../helper-spec.ts';

/** One helper per HAProxy context in which a value can stand. Each gives text that HAProxy reads as exactly the value, or refuses. */
export const contextHelpers: HelperTable = {
  quoted: context(
    'quoted',
    'One argument in double quotes; nothing in it is interpreted.',
    quoteArgument,
    'http-request set-header x-color {{quoted "two words; \\"$HOME\\""}}',
  ),
  logformat: context(
    'logformat',
    'One argument where HAProxy expects a log-format string; `%` is doubled.',
    logFormatArgument,
    'http-request set-header x-load {{logformat "50% of %[src]"}}',
  ),
  regex: context(
    'regex',
    'One argument that is a regular expression for HAProxy; refused if it does not compile.',
    regexArgument,
    'acl api path_reg {{regex "^/v[0-9]+/"}}',
  ),
  mapKey: context(
    'mapKey',
    'A key of a map file.',
    mapKey,
    '{{mapEntry "maps/color.map" (mapKey w.metadata.name) (mapValue w.spec.color)}}',
  ),
  mapValue: context(
    'mapValue',
    'A value of a map file: the rest of its line.',
    mapValue,
    '{{mapEntry "maps/color.map" (mapKey w.metadata.name) (mapValue "deep red")}}',
  ),
  sectionName: context(
    'sectionName',
    'A name of a proxy, server, section or profile.',
    sectionName,
    'backend {{sectionName (concat w.metadata.namespace "_" w.metadata.name)}}',
  ),
  comment: context(
    'comment',
    'A comment to the end of the line.',
    commentText,
    '{{comment "anything; at all"}}',
  ),
};

function context(
  name: string,
  summary: string,
  print: (value: unknown) => string,
  example: string,
): HelperSpec {
  return {
    signature: `${name} x`,
    summary,
    example,
    output: 'text',
    args: [1, 1],
    call: ([value]) => print(value),
  };
}
