import { readConfigLine } from './read-config-line.ts';

/** Why a line is not given to HAProxy for a check: it would run code, or read a file outside of the render. */
export type LineRisk = 'code' | 'file';

const codeDirectives: ReadonlySet<string> = new Set([
  'lua-load',
  'lua-load-per-thread',
  'lua-prepend-path',
  'module-load',
  'module-path',
  'program',
  'command',
  'external-check',
  'insecure-fork-wanted',
  'ssl-engine',
  'ssl-provider',
  'ssl-provider-path',
  'ssl-propquery',
  'wurfl-engine-mode',
  'setenv',
  'presetenv',
  'resetenv',
  'unsetenv',
]);
/** Filters that come as shared objects. */
const codeFilters: ReadonlySet<string> = new Set(['opentracing', 'opentelemetry', 'otel']);

/** After these words a path stands; where another word comes between, how many. */
const pathAfter: Readonly<Record<string, number>> = {
  crt: 1,
  'crt-list': 1,
  'crt-base': 1,
  'ca-file': 1,
  'ca-base': 1,
  'ca-verify-file': 1,
  'ca-sign-file': 1,
  'crl-file': 1,
  'key-base': 1,
  key: 1,
  issuer: 1,
  ocsp: 1,
  sctl: 1,
  'issuers-chain-path': 1,
  'tls-ticket-keys': 1,
  'ssl-dh-param-file': 1,
  'server-state-file': 1,
  'server-state-base': 1,
  'server-state-file-name': 1,
  errorfile: 2,
  file: 1,
  'lf-file': 1,
  config: 1,
  '-f': 1,
  'wurfl-data-file': 1,
  '51degrees-data-file': 1,
  'deviceatlas-json-file': 1,
  'maxmind-load': 2,
};
const pathsWithin = /\b(?:map(?:_\w+)?|jwt_verify(?:_cert)?|lua\.map\w*)\(([^)]*)/g;
const luaUse = /(?:^|[^\w])lua\./;

/**
 * Judges one line of a configuration. What HAProxy makes of a line in a check is only ever parsing, but for these: code that is
 * loaded at start, and files that are read. A path is inside when it is relative, does not climb, and has no variable in it.
 */
export function lineRisk(line: string): LineRisk | undefined {
  // Most lines are harmless and say so at a glance.
  if (
    !/[\\"'$]|lua|\/|\.\.|engine|provider|env|module|program|command|external|insecure|filter|wurfl/.test(
      line,
    )
  )
    return undefined;
  const words = readConfigLine(line);
  const [first = '', second = ''] = words;
  if (first.includes('$') || codeDirectives.has(first)) return 'code';
  if (first === 'option' && second === 'external-check') return 'code';
  if (first === 'filter' && codeFilters.has(second)) return 'code';
  if (words.some((word) => luaUse.test(word))) return 'code';
  if (first === 'default-path' && second !== 'config' && second !== 'current' && second !== 'origin')
    return 'file';
  return words.some((word, at) => isOutsideAt(words, word, at)) ? 'file' : undefined;
}

function isOutsideAt(words: readonly string[], word: string, at: number): boolean {
  const distance = Object.hasOwn(pathAfter, word) ? pathAfter[word] : undefined;
  if (distance !== undefined && isOutside(words[at + distance] ?? '')) return true;
  for (const [, inner = ''] of word.matchAll(pathsWithin))
    if (inner.split(',').some((argument) => isOutside(argument.trim()))) return true;
  return false;
}

function isOutside(path: string): boolean {
  const bare = path.replace(/^(?:virt|opt|file)@/, '');
  return /^[/~]/.test(bare) || bare.includes('$') || bare.split('/').includes('..');
}
