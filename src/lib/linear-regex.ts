import { RE2JS, RE2JSSyntaxException } from 're2js';

/** A regular expression of RE2's kind: no look-around, no back-references, and time linear in the text. */
export interface LinearRegex {
  /** How much is compiled: the expression with its repeated parts written out, in characters. */
  readonly size: number;
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
/** Largest expression with its repeated parts written out. */
const maxSize = 10_000;
/** Longest text that replacing makes. */
const maxOutput = 16 * 1024 * 1024;
/** Longest text that is looked through, in characters: each takes about 1 µs. */
const maxText = 256 * 1024;

/** Throws a RangeError that says what is wrong with the expression. */
export function linearRegex(pattern: string): LinearRegex {
  const compiled = compile(pattern);
  return {
    size: sizeOf(pattern),
    matches: (text) => matcherOf(compiled, text).find(),
    find: (text) => {
      const matcher = matcherOf(compiled, text);
      if (!matcher.find()) return undefined;
      return Array.from({ length: matcher.groupCount() + 1 }, (_, group) => matcher.group(group) ?? '');
    },
    findAll: (text) => {
      const matcher = matcherOf(compiled, text);
      const found: string[] = [];
      while (matcher.find()) found.push(matcher.group(0) ?? '');
      return found;
    },
    replaceAll: (text, replacement) => {
      const expand = expansionOf(replacement);
      const matcher = matcherOf(compiled, text);
      let output = '';
      let from = 0;
      while (matcher.find()) {
        output += text.slice(from, matcher.start()) + expand((group) => groupOf(matcher, group));
        if (output.length > maxOutput)
          throw new RangeError(`the replaced text has more than ${maxOutput} characters`);
        from = matcher.end();
      }
      return from === 0 && output === '' ? text : output + text.slice(from);
    },
  };
}

function compile(pattern: string): RE2JS {
  if (pattern.length > maxLength)
    throw new RangeError(`the regular expression has more than ${maxLength} characters`);
  if (sizeOf(pattern) > maxSize)
    throw new RangeError(
      `${JSON.stringify(pattern)} is not a regular expression: it is too large with its repeated parts written out`,
    );
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

/** How large the expression is with its repeated parts written out, in characters and classes of characters. */
function sizeOf(pattern: string): number {
  const around: number[] = [];
  let size = 0;
  let last = 0;
  for (const [token, from, comma, to] of pattern.matchAll(tokens)) {
    if (from !== undefined) {
      const count = to === undefined || to === '' ? Number(from) + (comma === ',' ? 1 : 0) : Number(to);
      const more = last * Math.max(0, count - 1);
      last += more;
      size += more;
    } else if (token === '(') {
      around.push(size);
      size = 0;
    } else if (token === ')') {
      last = size + 1;
      size = (around.pop() ?? 0) + last;
    } else {
      last = 1;
      size++;
    }
  }
  return around.reduce((sum, one) => sum + one, size);
}

const tokens = /\\[pP]\{[^}]*\}|\\[^]|\[\^?\]?(?:\\[^]|[^\]\\])*\]|\{(\d+)(,?)(\d*)\}|[^]/g;

function matcherOf(compiled: RE2JS, text: string): Matcher {
  if (text.length > maxText)
    throw new RangeError(`the text has more than ${maxText} characters, too many for a regular expression`);
  return compiled.matcher(text);
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
