import { variableMark } from './variable-mark.ts';

export interface ConfigLine {
  /** Unquoted, with escapes resolved. Variables of the environment stay as they are written, with a mark in place of their `$`. */
  readonly words: readonly string[];
  /** HAProxy refuses the line, or versions of it read it differently: the words are the best that can be made of it. */
  readonly isOdd: boolean;
}

/**
 * The words of one line of a HAProxy configuration, as HAProxy itself reads them (configuration manual, 2.2 and 2.3; `parse_line` of its
 * source): only some characters can be escaped, nothing is resolved between single quotes, and a word ends for HAProxy where a
 * NUL is, however it came there.
 */
export function readConfigLine(line: string): ConfigLine {
  if (plain.test(line)) {
    const words = line.split(/[ \t]+/);
    return { words: words.filter((word) => word !== ''), isOdd: false };
  }
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  let isOdd = line.includes('\0') || line.replace(/\r$/, '').includes('\r');
  const end = (): void => {
    if (word !== undefined) words.push(word.split('\0', 1)[0] ?? '');
    word = undefined;
  };
  for (let at = 0; at < line.length; at++) {
    const char = line.charAt(at);
    if (char === '"' && quote !== "'") {
      quote = quote === '"' ? '' : '"';
      word ??= '';
    } else if (char === "'" && quote !== '"') {
      quote = quote === "'" ? '' : "'";
      word ??= '';
    } else if (char === '\\' && quote !== "'") {
      const escape = escapeAt(line, at, quote);
      if (escape === undefined) isOdd = true;
      word = (word ?? '') + (escape?.text ?? char);
      at += (escape?.length ?? 1) - 1;
    } else if (char === '$' && quote === '"') {
      const variable = variableAt(line, at);
      if (variable === undefined) isOdd = true;
      word = (word ?? '') + variableMark + (variable ?? char).slice(1);
      at += (variable ?? char).length - 1;
    } else if (quote === '' && char === '#') {
      break;
    } else if (quote === '' && blanks.has(char)) {
      end();
    } else {
      word = (word ?? '') + char;
    }
  }
  end();
  return { words, isOdd: isOdd || quote !== '' };
}

/** Most lines: nothing in them but words and what separates them. */
const plain = /^[\t !%&(-[\]-~]*$/;
/** As C's isspace() has them. */
const blanks: ReadonlySet<string> = new Set([' ', '\t', '\n', '\v', '\f', '\r']);
const controls: Readonly<Record<string, string>> = { r: '\r', n: '\n', t: '\t' };
const escaped: ReadonlySet<string> = new Set([' ', '\\', '#', "'", '"']);

/** What a backslash and what follows it stand for; undefined for a broken one. */
function escapeAt(
  line: string,
  at: number,
  quote: string,
): { readonly text: string; readonly length: number } | undefined {
  const next = line.charAt(at + 1);
  if (next === '') return undefined;
  if (next === 'x') {
    const hex = /^[0-9a-fA-F]{2}/.exec(line.slice(at + 2, at + 4))?.[0];
    return hex === undefined ? undefined : { text: String.fromCharCode(Number.parseInt(hex, 16)), length: 4 };
  }
  const control = Object.hasOwn(controls, next) ? controls[next] : undefined;
  if (control !== undefined) return { text: control, length: 2 };
  if (escaped.has(next) || (next === '$' && quote === '"')) return { text: next, length: 2 };
  return { text: '\\', length: 1 };
}

/** `$NAME`, `${NAME}` or `${NAME-default}`; undefined for others, which are broken or may be several words. */
function variableAt(line: string, at: number): string | undefined {
  return /^\$(?:\{[.A-Za-z_]\w*(?:-[^}"'\\\s]*)?\}|[.A-Za-z_]\w*)/.exec(line.slice(at, at + 4096))?.[0];
}
