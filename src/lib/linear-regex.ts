import { RE2JS, RE2JSSyntaxException } from 're2js';

/** A regular expression of RE2's kind: no look-around, no back-references, and time linear in the text. */
export interface LinearRegex {
  matches(text: string): boolean;
  /** The first match and its groups, an absent one as the empty text. Undefined: no match. */
  find(text: string): readonly string[] | undefined;
  /** All matches, without their groups. */
  findAll(text: string): readonly string[];
  /** Every match by `replacement`, in which `$1`, `${1}` and `${name}` stand for groups and `$$` for a dollar, as in Go. */
  replaceAll(text: string, replacement: string): string;
}

/** Longest expression, in characters: what is compiled grows with it. */
const maxLength = 1000;

/** Throws a RangeError that says what is wrong with the expression. */
export function linearRegex(pattern: string): LinearRegex {
  const compiled = compile(pattern);
  return {
    matches: (text) => compiled.matcher(text).find(),
    find: (text) => {
      const matcher = compiled.matcher(text);
      if (!matcher.find()) return undefined;
      return Array.from({ length: matcher.groupCount() + 1 }, (_, group) => matcher.group(group) ?? '');
    },
    findAll: (text) => {
      const matcher = compiled.matcher(text);
      const found: string[] = [];
      while (matcher.find()) found.push(matcher.group(0) ?? '');
      return found;
    },
    replaceAll: (text, replacement) => {
      const expand = expansionOf(replacement);
      const matcher = compiled.matcher(text);
      let output = '';
      let from = 0;
      while (matcher.find()) {
        output += text.slice(from, matcher.start()) + expand((group) => groupOf(matcher, group));
        from = matcher.end();
      }
      return from === 0 && output === '' ? text : output + text.slice(from);
    },
  };
}

function compile(pattern: string): RE2JS {
  if (pattern.length > maxLength)
    throw new RangeError(`the regular expression has more than ${maxLength} characters`);
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    const reason = error.message.replace(/^error parsing regexp: /, '');
    throw new RangeError(`${JSON.stringify(pattern)} is not a regular expression: ${reason}`, {
      cause: error,
    });
  }
}

type Matcher = ReturnType<RE2JS['matcher']>;

function groupOf(matcher: Matcher, group: string): string {
  if (/^\d+$/.test(group))
    return Number(group) <= matcher.groupCount() ? (matcher.group(Number(group)) ?? '') : '';
  return Object.hasOwn(matcher.namedGroups, group) ? (matcher.group(group) ?? '') : '';
}

/** The replacement with its groups filled in; a name that is no group is nothing, as in Go. */
function expansionOf(replacement: string): (group: (name: string) => string) => string {
  if (!replacement.includes('$')) return () => replacement;
  return (group) =>
    replacement.replace(
      /\$(?:(\$)|\{(\w+)\}|(\w+))/g,
      (_, dollar?: string, braced?: string, plain?: string) =>
        dollar === undefined ? group(braced ?? plain ?? '') : '$',
    );
}
