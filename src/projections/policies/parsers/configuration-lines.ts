import type { Parsed } from '../../parsed.ts';
import { showValue } from '../../show-value.ts';

const mostLines = 50;
const longestLine = 1024;
/** Every keyword that begins a section, on any line of HAProxy, and what would come to the same. */
const sections = new Set([
  'acme', 'backend', 'cache', 'crt-store', 'defaults', 'dynamic-update', 'fcgi-app', 'frontend', 'global', 'healthcheck', 'http-errors', 'listen',
  'log-forward', 'log-profile', 'mailers', 'namespace_list', 'peers', 'program', 'resolvers', 'ring', 'traces', 'userlist',
]); // prettier-ignore

/**
 * Lines of HAProxy's configuration that stay in the section they are printed in: none begins another one, is a directive for the parser (`.if`), has a value of the
 * environment in it, or ends within quotes. What they say is HAProxy's to judge.
 */
export function configurationLines(text: string): Parsed<readonly string[]> {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (lines.length === 0) return { fault: 'must have at least one line' };
  if (lines.length > mostLines) return { fault: `has ${lines.length} lines, more than ${mostLines}` };
  for (const line of lines) {
    const fault = faultOf(line);
    if (fault !== undefined) return { fault: `${fault}: ${showValue(line)}` };
  }
  return { value: lines };
}

function faultOf(line: string): string | undefined {
  if (line.length > longestLine) return `has a line of more than ${longestLine} characters`;
  if (!/^[\x20-\x7e]+$/.test(line)) return 'has a line with other characters than visible ASCII';
  const [, keyword = ''] = /^([^\s]+)/.exec(line) ?? [];
  // HAProxy would take quotes and backslashes out of it first.
  if (!/^[a-z][a-z0-9-]*$/.test(keyword))
    return 'has a line that does not begin with a keyword of HAProxy, such as http-request';
  if (keyword === 'no' || keyword === 'default') {
    const [, next = ''] = /^\S+\s+(\S+)/.exec(line) ?? [];
    if (!/^[a-z][a-z0-9-]*$/.test(next) || sections.has(next))
      return 'has a line that does not begin with a keyword of HAProxy, such as http-request';
  }
  if (sections.has(keyword)) return 'begins another section';
  if (/cache-(?:use|store)/.test(line)) return 'uses a cache, which HAProxy does not survive in a profile';
  return quotingFault(line);
}

function quotingFault(line: string): string | undefined {
  let quote = '';
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at];
    if (quote !== "'" && char === '\\') at += 1;
    else if (quote !== "'" && char === '$') return 'has a $, which is for values of the environment';
    else if (quote === '' && (char === '"' || char === "'")) quote = char;
    else if (char === quote) quote = '';
  }
  if (quote !== '') return 'has a line that ends within quotes';
  return line.endsWith('\\') ? 'has a line that ends with a backslash' : undefined;
}
