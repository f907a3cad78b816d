import { linearRegex } from '../../../lib/linear-regex.ts';
import type { Parsed } from '../../parsed.ts';
import { showValue } from '../../show-value.ts';

const longest = 256;
/** Repetitions that can run over what follows them: with each, time grows by a factor of the text's length. */
const mostWide = 2;
/** Repetitions by numbers up to this are counted as so many ways, others as `longestText`. */
const fewTimes = 8;
const longestText = 2_000;
/** In how many ways a text may be read: twice as many as by two repetitions that are wide. PCRE2 gives up after more (10,000,000), and that takes 100 ms and more of a thread. */
const mostWays = 2 * longestText ** mostWide;

/**
 * A regular expression that PCRE2 and RE2 read alike, beginning with `^`, on which PCRE2, which tries every way, takes little time whatever the text: no
 * repetition within a repetition, and at most two that can run over what follows. `[^/]+` before a `/` cannot, and may come as often as there is room. What may be
 * there or not, or is one of several that begin alike, multiplies the ways.
 */
export function boundedRegex(text: string): Parsed<string> {
  const refuse = (fault: string): Parsed<string> => ({ fault: `${fault}: ${showValue(text)}` });
  if (!/^\^[\x21-\x7e]+$/.test(text) || text.length > longest) {
    return refuse(
      `must be a regular expression of visible ASCII that begins with ^, at most ${longest} characters`,
    );
  }
  if (/\(\?(?!:)|\\[QECpP]/.test(text)) return refuse('must not have flags, \\Q, \\C or \\p');
  // RE2 takes them for characters. HAProxy matches bytes.
  if (text.match(tokens)?.some((part) => /^\[([:.=]).*\1\]$|^\[.*\[([.=]).*\2\]/s.test(part)))
    return refuse('must not have names of characters such as [.a.], and [:alpha:] only within brackets');
  if ([...text.matchAll(/\\x\{([^}]*)\}/g)].some(([, digits = '']) => Number.parseInt(digits, 16) > 0xff))
    return refuse('must not have characters above \\x{ff}');
  try {
    linearRegex(text);
  } catch {
    return refuse('must be a regular expression without look-around and back-references');
  }
  const fault = costOf(text);
  return fault === undefined ? { value: text } : refuse(fault);
}

const tokens =
  /\\x\{[^}]*\}|\\x[0-9a-fA-F]{2}|\\.|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]|\(\?:|[()|]|[*+?]\??|\{\d*,?\d*\}\??|./gs;
const repetition = /^(?:[*+]|\{(\d*)(,?)(\d*)\})/;

interface Group {
  /** Something in it is repeated. */
  repeats: boolean;
  /** In how many ways it can be read at most, without wide repetitions. */
  ways: number;
  /** What each of its alternatives begins with. */
  readonly beginnings: string[];
}

const newGroup = (): Group => ({ repeats: false, ways: 1, beginnings: [''] });

function costOf(text: string): string | undefined {
  const parts = text.match(tokens) ?? [];
  const whole = newGroup();
  const groups: Group[] = [whole];
  let wide = 0;
  for (const [at, part] of parts.entries()) {
    const group = groups.at(-1) ?? whole;
    if (part === '|') group.beginnings.push('');
    else if (group.beginnings.at(-1) === '') group.beginnings[group.beginnings.length - 1] = part;
    if (part === '(' || part === '(?:') groups.push(newGroup());
    else if (part === ')') groups.pop();
    const ended = part === ')' ? group : undefined;
    const around = groups.at(-1) ?? whole;
    const next = parts[at + 1] ?? '';
    const quantifier = repetition.exec(next);
    const ways = ended === undefined ? 1 : ended.ways * alternativesOf(ended);
    if (quantifier === null) {
      if (ended?.repeats === true) around.repeats = true;
      around.ways *= next.startsWith('?') ? ways + 1 : ways;
      continue;
    }
    if (ended?.repeats === true) return 'must not repeat what repeats something itself';
    around.repeats = true;
    const [, least = '', comma = '', most = ''] = quantifier;
    const times = next.startsWith('{')
      ? Number(comma === '' ? least : most === '' ? Infinity : most)
      : Infinity;
    if (times <= fewTimes) {
      around.ways *= (times - Number(least) + 1) * ways ** times;
      continue;
    }
    if (ways > 1) return 'must not repeat what can be read in several ways';
    if (!endsBefore(part, parts.slice(at + 2))) wide += 1;
  }
  if (wide > mostWide)
    return `must have at most ${mostWide} repetitions such as .* that can run over what follows`;
  return whole.ways * alternativesOf(whole) * longestText ** wide > mostWays
    ? 'must not have as many parts that may be there or not, or be one thing or another'
    : undefined;
}

/** How many of its alternatives may have to be tried. Those that begin with a character of their own are told apart by it. */
function alternativesOf({ beginnings }: Group): number {
  const areApart =
    new Set(beginnings).size === beginnings.length && beginnings.every((part) => /^[\w/-]$/.test(part));
  return areApart ? 1 : beginnings.length;
}

/** `[^/]` before a `/`, or as the last. */
function endsBefore(repeated: string | undefined, rest: readonly string[]): boolean {
  const [, excluded] = /^\[\^(\\?[^\]\\])\]$/.exec(repeated ?? '') ?? [];
  const next = rest.find((part) => part !== ')' && part !== '(' && part !== '(?:');
  if (next === undefined || next === '$') return rest.every((part) => part === ')' || part === '$');
  // What comes next must come, and must be the same in every alternative.
  const must =
    !/^(?:[*?]|\{0?,)/.test(rest[rest.indexOf(next) + 1] ?? '') &&
    !rest.slice(0, rest.indexOf(next) + 2).includes('|');
  return excluded !== undefined && must && excluded.replace('\\', '') === next.replace('\\', '');
}
