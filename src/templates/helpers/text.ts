import { anyNumber, type HelperTable } from '../helper-spec.ts';
import { formatText } from '../format-text.ts';
import { runLimits } from '../run-limits.ts';
import { valueHelper as value } from '../value-helper.ts';
import { countOf, listOf, numberOf, textOf } from './arguments.ts';

/** Longest text that a helper makes by repeating or filling. */
const longest = 10_000;

/** Text. Results are values: they still have to pass what prints them. */
export const textHelpers: HelperTable = {
  concat: value(
    'concat a b …',
    'Its arguments as one text.',
    [1, anyNumber],
    (args) => {
      const parts = args.map(textOf);
      requireLength(parts.reduce((length, part) => length + part.length, 0));
      return parts.join('');
    },
    '{{concat w.metadata.namespace "_" w.metadata.name}}',
  ),
  join: value(
    'join list ","',
    'The items as one text, with the second between them.',
    [2, 2],
    ([from, separator]) => {
      const parts = listOf(from).map(textOf);
      const between = textOf(separator);
      requireLength(parts.reduce((length, part) => length + part.length + between.length, 0));
      return parts.join(between);
    },
    '{{join w.spec.ports ","}}',
  ),
  split: value(
    'split text "," most',
    'The parts of a text as a list; with a third argument at most so many, the last with the rest.',
    [2, 3],
    ([from, separator, most]) => {
      const parts = textOf(from).split(textOf(separator), runLimits.parts + 1);
      requireParts(parts);
      if (most === undefined) return parts;
      const count = Math.max(1, countOf(most, longest));
      return parts.length <= count
        ? parts
        : [...parts.slice(0, count - 1), parts.slice(count - 1).join(textOf(separator))];
    },
    '{{lookup (split "a,b,c" ",") 1}} {{lookup (split "a,b,c" "," 2) 1}}',
  ),
  lower: value(
    'lower text',
    'In lower case.',
    [1, 1],
    ([from]) => textOf(from).toLowerCase(),
    '{{lower "Shop.Example"}}',
  ),
  upper: value(
    'upper text',
    'In upper case.',
    [1, 1],
    ([from]) => textOf(from).toUpperCase(),
    '{{upper w.spec.color}}',
  ),
  capitalize: value(
    'capitalize text',
    'With its first character in upper case.',
    [1, 1],
    ([from]) => capitalized(textOf(from)),
    '{{capitalize w.spec.color}}',
  ),
  title: value(
    'title text',
    'With the first character of every word in upper case.',
    [1, 1],
    ([from]) => textOf(from).replace(/\S+/g, capitalized),
    '{{quoted (title "two words")}}',
  ),
  kebab: value(
    'kebab text',
    'Words in lower case, joined by hyphens.',
    [1, 1],
    ([from]) =>
      textOf(from)
        .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
        .replace(/[^A-Za-z0-9]+/g, '-')
        .replace(/^-|-$/g, '')
        .toLowerCase(),
    '{{kebab "sessionCookie Name"}}',
  ),
  trim: value(
    'trim text',
    'Without white space at both ends; with a second argument, without its characters.',
    [1, 2],
    ([from, characters]) => trimmed(textOf(from), characters, true, true),
    '{{trim "  a  "}} {{trim "/a/b/" "/"}}',
  ),
  trimStart: value(
    'trimStart text',
    'Without white space (or the characters of a second argument) in front.',
    [1, 2],
    ([from, characters]) => trimmed(textOf(from), characters, true, false),
    '{{trimStart "/a/" "/"}}',
  ),
  trimEnd: value(
    'trimEnd text',
    'Without white space (or the characters of a second argument) at its end.',
    [1, 2],
    ([from, characters]) => trimmed(textOf(from), characters, false, true),
    '{{trimEnd "/a/" "/"}}',
  ),
  trimPrefix: value(
    'trimPrefix text "prefix"',
    'Without the prefix, if it begins with it.',
    [2, 2],
    ([from, part]) => {
      const text = textOf(from);
      return text.startsWith(textOf(part)) ? text.slice(textOf(part).length) : text;
    },
    '{{trimPrefix "*.example.com" "*."}}',
  ),
  trimSuffix: value(
    'trimSuffix text "suffix"',
    'Without the suffix, if it ends with it.',
    [2, 2],
    ([from, part]) => {
      const text = textOf(from);
      return text.endsWith(textOf(part)) ? text.slice(0, text.length - textOf(part).length) : text;
    },
    '{{trimSuffix "shop.pem" ".pem"}}',
  ),
  replace: value(
    'replace text "from" "to"',
    'With every occurrence of the second replaced by the third.',
    [3, 3],
    ([from, what, to]) => replaced(textOf(from), textOf(what), textOf(to)),
    '{{replace "a.b.c" "." "_"}}',
  ),
  startsWith: value(
    'startsWith text "prefix"',
    'True if the text begins with it.',
    [2, 2],
    ([from, part]) => textOf(from).startsWith(textOf(part)),
    '{{startsWith "/api" "/"}}',
  ),
  endsWith: value(
    'endsWith text "suffix"',
    'True if the text ends with it.',
    [2, 2],
    ([from, part]) => textOf(from).endsWith(textOf(part)),
    '{{endsWith "shop.pem" ".pem"}}',
  ),
  indexOf: value(
    'indexOf text "part"',
    'Where the part (or the item of a list) comes first, counted from 0; -1 if it does not.',
    [2, 2],
    ([from, part]) => (Array.isArray(from) ? from.indexOf(part) : textOf(from).indexOf(textOf(part))),
    '{{indexOf "a/b/c" "/"}}',
  ),
  lastIndexOf: value(
    'lastIndexOf text "part"',
    'Where the part (or the item of a list) comes last, counted from 0; -1 if it does not.',
    [2, 2],
    ([from, part]) => (Array.isArray(from) ? from.lastIndexOf(part) : textOf(from).lastIndexOf(textOf(part))),
    '{{lastIndexOf "a/b/c" "/"}}',
  ),
  abbreviate: value(
    'abbreviate text n',
    'At most n characters; a longer text ends in three dots.',
    [2, 2],
    ([from, most]) => {
      const text = textOf(from);
      const length = Math.max(3, countOf(most, longest));
      return text.length <= length ? text : `${text.slice(0, length - 3)}...`;
    },
    '{{abbreviate "a-very-long-name" 9}}',
  ),
  repeat: value(
    'repeat text n',
    'The text n times.',
    [2, 2],
    ([from, times]) => {
      const text = textOf(from);
      countOf(text.length * countOf(times, longest), longest);
      return text.repeat(numberOf(times));
    },
    '{{repeat "ab" 3}}',
  ),
  padStart: value(
    'padStart text n "0"',
    'At least n characters, filled in front.',
    [3, 3],
    ([from, length, fill]) => textOf(from).padStart(countOf(length, longest), textOf(fill)),
    '{{padStart 7 3 "0"}}',
  ),
  padEnd: value(
    'padEnd text n "."',
    'At least n characters, filled at its end.',
    [3, 3],
    ([from, length, fill]) => textOf(from).padEnd(countOf(length, longest), textOf(fill)),
    '{{padEnd "ab" 4 "."}}',
  ),
  indent: value(
    'indent text n',
    'Each line but empty ones moved in by n spaces, or by a text; `first=false` leaves the first line.',
    [2, 2],
    ([from, by], scope) => {
      const space = typeof by === 'string' && !/^\d+$/.test(by) ? by : ' '.repeat(countOf(by, 100));
      const lines = textOf(from).split('\n', runLimits.parts + 1);
      requireParts(lines);
      requireLength(lines.reduce((length, line) => length + line.length + space.length, 0));
      const { first } = scope.options.hash;
      return lines
        .map((line, at) => (line === '' || (at === 0 && first === false) ? line : space + line))
        .join('\n');
    },
    { whole: '{{#file "general/notes.txt"}}{{{indent extraContext.notes 4}}}{{/file}}' },
  ),
  lines: value(
    'lines text',
    'The lines of a text as a list, without the empty ones.',
    [1, 1],
    ([from]) =>
      requireParts(
        textOf(from)
          .split(/\r\n|\n|\r/)
          .filter((line) => line.trim() !== ''),
      ),
    '{{#each (lines extraContext.notes) as |line|}}{{quoted line}} {{/each}}',
  ),
  basename: value(
    'basename path',
    'What follows the last slash.',
    [1, 1],
    ([from]) => textOf(from).replace(/\/+$/, '').split('/').at(-1) ?? '',
    '{{basename "/etc/haproxy/maps/host.map"}}',
  ),
  dirname: value(
    'dirname path',
    'What comes before the last slash.',
    [1, 1],
    ([from]) => {
      const path = textOf(from).replace(/\/+$/, '');
      const at = path.lastIndexOf('/');
      return at < 0 ? '.' : at === 0 ? '/' : path.slice(0, at);
    },
    '{{dirname "/etc/haproxy/maps/host.map"}}',
  ),
  isDigits: value(
    'isDigits text',
    'True if it is one or more of 0 to 9 and nothing else.',
    [1, 1],
    ([from]) => /^\d+$/.test(textOf(from)),
    '{{isDigits "8080"}} {{isDigits "80a"}}',
  ),
  text: value(
    'text x',
    'A number or boolean as text; anything else that is no text is an error.',
    [1, 1],
    ([from]) => textOf(from),
    '{{eq (text w.spec.replicas) "3"}}',
  ),
  format: value(
    'format "%s-%03d" a b',
    'The arguments put into a text: `%s` text, `%q` a JSON string, `%d` `%x` `%o` `%b` whole numbers, `%f` decimals, `%v` any of them as JSON, `%%` a percent sign; with width and `-` or `0`, as in Go.',
    [1, anyNumber],
    ([pattern, ...args]) => formatText(textOf(pattern), args),
    '{{format "%s-%03d.%x" w.metadata.name w.spec.replicas 255}}',
  ),
  joinKey: value(
    'joinKey a b …',
    'A key of several parts, with a dot between them; in a part, `~` is `~0` and a dot is `~1`, so that no two lists of parts give the same key.',
    [1, anyNumber],
    (args) => args.map((arg) => textOf(arg).replaceAll('~', '~0').replaceAll('.', '~1')).join('.'),
    '{{joinKey "a.b" "c"}} {{joinKey "a" "b.c"}}',
  ),
};

/** Before it is made: a RangeError for a text that is too long. */
function requireLength(length: number): void {
  if (length > runLimits.text) throw new RangeError(`more than ${runLimits.text / 1024 / 1024} MiB of text`);
}

function requireParts(parts: readonly string[]): readonly string[] {
  if (parts.length > runLimits.parts) throw new RangeError(`the text has more than ${runLimits.parts} parts`);
  return parts;
}

function replaced(text: string, what: string, to: string): string {
  const parts =
    what === '' ? text.length + 1 : requireParts(text.split(what, runLimits.parts + 1)).length - 1;
  requireLength(text.length + parts * (to.length - what.length));
  return text.replaceAll(what, () => to);
}

function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function trimmed(text: string, characters: unknown, start: boolean, end: boolean): string {
  if (characters === undefined) {
    if (start && end) return text.trim();
    return start ? text.trimStart() : text.trimEnd();
  }
  const gone = new Set(textOf(characters));
  let from = 0;
  let to = text.length;
  while (start && from < to && gone.has(text.charAt(from))) from++;
  while (end && to > from && gone.has(text.charAt(to - 1))) to--;
  return text.slice(from, to);
}
