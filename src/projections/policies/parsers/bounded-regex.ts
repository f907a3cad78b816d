import { linearRegex } from '../../../lib/linear-regex.ts';
import type { Parsed } from '../../parsed.ts';
import { showValue } from '../../show-value.ts';

const longest = 256;
/** Repetitions that can run over what follows them: with each, time grows by a factor of the text's length. */
const mostWide = 2;
/** Repetitions by numbers up to this cost little. */
const fewTimes = 8;

/**
 * A regular expression that PCRE2 and RE2 read alike, beginning with `^`, on which PCRE2, which tries every way, takes little time whatever the text: no
 * repetition within a repetition, and at most two that can run over what follows. `[^/]+` before a `/` cannot, and may come as often as there is room.
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

function costOf(text: string): string | undefined {
  const parts = text.match(tokens) ?? [];
  /** For each group that is open, whether something in it is repeated. */
  const groups: boolean[] = [false];
  let before = false;
  let wide = 0;
  for (const [at, part] of parts.entries()) {
    const repeats = repetition.exec(part);
    if (part === '(' || part === '(?:') groups.push(false);
    if (part === ')') before = groups.pop() === true;
    if (repeats === null) {
      if (part !== ')') before = false;
      else if (before) groups[groups.length - 1] = true;
      continue;
    }
    if (before) return 'must not repeat what repeats something itself';
    groups[groups.length - 1] = true;
    const [, least = '', comma = '', most = ''] = repeats;
    const isShort =
      part.startsWith('{') && Number(comma === '' ? least : most === '' ? Infinity : most) <= fewTimes;
    if (!isShort && !endsBefore(parts[at - 1], parts.slice(at + 1))) wide += 1;
  }
  return wide > mostWide
    ? `must have at most ${mostWide} repetitions such as .* that can run over what follows`
    : undefined;
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
