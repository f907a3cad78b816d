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
  quoted: context('One argument in double quotes; nothing in it is interpreted.', quoteArgument),
  logformat: context(
    'One argument where HAProxy expects a log-format string; `%` is doubled.',
    logFormatArgument,
  ),
  regex: context('One argument that is a regular expression; refused if it does not compile.', regexArgument),
  mapKey: context('A key of a map file.', mapKey),
  mapValue: context('A value of a map file.', mapValue),
  sectionName: context('A name of a proxy, server, section or profile.', sectionName),
  comment: context('A comment to the end of the line.', commentText),
};

function context(summary: string, print: (value: unknown) => string): HelperSpec {
  return { summary, output: 'text', args: [1, 1], call: ([value]) => print(value) };
}
