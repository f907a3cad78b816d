import { isOutside } from './is-outside.ts';
import { knownSamples } from './known-samples.ts';
import type { LineRisk } from './judge-line.ts';

/** Which arguments of converters and actions are files that HAProxy reads when it reads the line. */
const files: readonly { readonly name: RegExp; readonly isFile: (at: number) => boolean }[] = [
  // Actions on maps and acls name the file by which they were loaded.
  { name: /^(?:map(?:_\w+)?|(?:set|del)-map|(?:add|del)-acl)$/, isFile: (at) => at === 0 },
  { name: /^jwt_(?:verify|verify_cert|decrypt_cert)$/, isFile: () => true },
];
const call = /([A-Za-z0-9_.:+-]+)\(/g;
/** No host name that begins so. */
const luaUse = /(?:^|[^\w.-])lua\.\w+(?![\w.-])/;
/** What may stand before a sample or converter of an expression. */
const isBegin = (text: string, at: number): boolean => at === 0 || /[,[!\s]/.test(text.charAt(at - 1));

/**
 * What is risky in a word of a configuration line, taken as an expression (`path,map(x)`) or as a text with expressions in it
 * (`a %[path,map(x)] b`). Samples and converters that are not known to take no files must not be given paths.
 */
export function expressionRisk(word: string): LineRisk | undefined {
  if (word.includes('lua.') && luaUse.test(word)) return 'load';
  if (!word.includes('(')) return undefined;
  for (const match of word.matchAll(call)) {
    const [, name = ''] = match;
    const known = files.find((taker) => taker.name.test(name));
    if (known === undefined && (knownSamples.has(name) || !isBegin(word, match.index))) continue;
    const list = argumentsAt(word, match.index + match[0].length);
    if (known !== undefined && list.some((argument, at) => known.isFile(at) && isOutside(argument)))
      return 'file';
    if (known === undefined && list.some(isOutside)) return 'unknown';
  }
  return undefined;
}

const controls: Readonly<Record<string, string>> = { r: '\r', n: '\n', t: '\t' };

/** As HAProxy's `make_arg_list` reads them, from after the parenthesis. */
function argumentsAt(text: string, from: number): readonly string[] {
  const list: string[] = [];
  let argument = '';
  let quote = '';
  for (let at = from; at < text.length; at++) {
    const char = text.charAt(at);
    const next = text.charAt(at + 1);
    if ((char === '"' || char === "'") && (quote === '' || quote === char))
      quote = quote === char ? '' : char;
    else if (char === '\\' && quote !== "'" && /^[\\ "'rnt]$/.test(next)) {
      argument += controls[next] ?? next;
      at++;
    } else if (quote === '' && (char === ',' || char === ')')) {
      list.push(argument);
      argument = '';
      if (char === ')') return list;
    } else argument += char;
  }
  return [...list, argument];
}
