/**
 * The words of one line of a HAProxy configuration, unquoted and with escapes resolved as HAProxy does (configuration manual, 2.2
 * and 2.3), up to a comment. Environment variables stay as they are written. A line that HAProxy would refuse gives what can be
 * made of it.
 */
export function readConfigLine(line: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let i = 0; i < line.length; i++) {
    const char = line.charAt(i);
    if (quote === "'") {
      if (char === "'") quote = '';
      else word = (word ?? '') + char;
    } else if (char === '\\') {
      const [text, length] = escapeAt(line, i);
      word = (word ?? '') + text;
      i += length - 1;
    } else if (char === '"') {
      quote = quote === '"' ? '' : '"';
      word ??= '';
    } else if (quote === '' && char === "'") {
      quote = "'";
      word ??= '';
    } else if (quote === '' && char === '#') {
      break;
    } else if (quote === '' && /\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + char;
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}

const controls: Readonly<Record<string, string>> = { r: '\r', n: '\n', t: '\t' };

/** What a backslash and what follows it stand for, and how long that is. */
function escapeAt(line: string, at: number): readonly [text: string, length: number] {
  const next = line.charAt(at + 1);
  const hex = /^[0-9a-fA-F]{2}/.exec(line.slice(at + 2, at + 4))?.[0];
  if (next === 'x' && hex !== undefined) return [String.fromCharCode(Number.parseInt(hex, 16)), 4];
  return [controls[next] ?? next, 2];
}
