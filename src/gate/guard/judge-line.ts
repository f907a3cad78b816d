import { bindOptions } from './bind-options.ts';
import { expressionRisk } from './expression-risk.ts';
import { isOutside } from './is-outside.ts';
import { knownActions } from './known-actions.ts';
import { knownDirectives } from './known-directives.ts';
import { knownOptions } from './known-options.ts';
import { plainOrigin } from './plain-origin.ts';
import { readConfigLine } from './read-config-line.ts';
import { sectionKeywords } from './section-keywords.ts';
import { serverOptions } from './server-options.ts';
import { variableMark } from './variable-mark.ts';

/**
 * What a line may do that a check must not do.
 *
 * - `load`: load a script or a filter, or need one that is not loaded
 * - `run`: run a program, or load a library that others may depend on without naming it
 * - `write`: write a file, whichever
 * - `code`: prepare to run programs, or change what programs find in the environment
 * - `file`: read a file outside of the folder of the check, or one whose text is configuration again
 * - `unknown`: nobody knows
 */
export type LineRisk = 'load' | 'run' | 'write' | 'code' | 'file' | 'unknown';

export interface JudgedLine {
  /** Undefined: HAProxy does nothing but parse it, and reads no files but those of the check. */
  readonly risk: LineRisk | undefined;
  /** As much of a line of unknown words as shows HAProxy the first of them, so that it can refuse it. */
  readonly beginning?: string;
}

/** By directive; those that are not here are harmless but for the paths in them. */
const risks: ReadonlyMap<string, LineRisk> = new Map([
  ...['lua-load', 'lua-load-per-thread', 'lua-prepend-path'].map((name) => [name, 'load'] as const),
  ...['module-load', 'module-path', 'ssl-engine', 'ssl-passphrase-cmd', 'ssl-propquery'].map(
    (name) => [name, 'run'] as const,
  ),
  ...['ssl-provider', 'ssl-provider-path'].map((name) => [name, 'run'] as const),
  ...['backing-file', 'shm-stats-file', 'account-key'].map((name) => [name, 'write'] as const),
  ...['external-check', 'insecure-fork-wanted', 'command'].map((name) => [name, 'code'] as const),
  ...['setenv', 'presetenv', 'resetenv', 'unsetenv'].map((name) => [name, 'code'] as const),
]);
/** Words after these may look like paths and are none: patterns, texts, addresses, what is used only when HAProxy runs. */
const withoutFiles: ReadonlySet<string> = new Set(
  `acl balance block capture chroot contact cookie declare default_backend desc description dispatch docroot early-hints
  email-alert error-log-format errorloc errorloc302 errorloc303 filter force-be-switch force-persist group hash-type
  hide-header http-check http-send-name-header ignore-persist index log log-format log-format-sd log-tag mailer monitor
  monitor-net monitor-uri nameserver node on option pass-header path-info persist pidfile redirect set-param set-var set-var-fmt
  maxconn nbthread source stats stick tcp-check timeout type unique-id-format unique-id-header unix-bind unset-param use-server use_backend user`.split(
    /\s+/,
  ),
);
/** After these an address or a text may stand in a line of options that name files else. */
const optionsWithoutFiles: ReadonlySet<string> = new Set(['addr', 'agent-addr', 'agent-send', 'cookie']);
const rules: ReadonlySet<string> = new Set([
  ...['http-request', 'http-response', 'http-after-response', 'quic-initial'],
  ...['tcp-request', 'tcp-response'],
]);
const ruleScopes: ReadonlySet<string> = new Set(['connection', 'session', 'content']);
const checkRules: ReadonlySet<string> = new Set(
  `comment connect disable-on-404 expect send send-state send-lf send-binary send-binary-lf set-var set-var-fmt
  unset-var`.split(/\s+/),
);
/** What is read before everything else: it asks for versions, features and the environment, and says something. */
const conditions: ReadonlySet<string> = new Set(
  '.if .elif .else .endif .notice .warning .alert .diag'.split(' '),
);
/** Nothing but texts stand in these. */
const formats: ReadonlySet<string> = new Set(
  'description error-log-format log-format log-format-sd node unique-id-format'.split(' '),
);
const codeFilters: ReadonlySet<string> = new Set(['opentracing', 'opentelemetry', 'otel']);
const plainFilters: ReadonlySet<string> = new Set(
  'bwlim-in bwlim-out cache comp-req comp-res compression fcgi-app trace'.split(' '),
);
/** Where the options of a line begin, and which there are. */
const optionLines: ReadonlyMap<string, readonly [from: number, table: ReadonlyMap<string, number>]> = new Map(
  [
    ['bind', [2, bindOptions]],
    ['default-bind', [1, bindOptions]],
    ['dgram-bind', [2, bindOptions]],
    ['server', [3, serverOptions]],
    ['server-template', [4, serverOptions]],
    ['default-server', [1, serverOptions]],
    ['peer', [3, serverOptions]],
  ],
);

const harmless: JudgedLine = { risk: undefined };

/**
 * Judges one line of a configuration by what HAProxy is known to make of it in a check; what is not known is no harmless line. Which words
 * are known, tests compare with every supported HAProxy.
 */
export function judgeLine(line: string): JudgedLine {
  const { words: all, isOdd } = readConfigLine(line);
  // HAProxy complains of other words than its own after these, and goes on with them.
  const words = (all[0] === 'no' || all[0] === 'default') && all.length > 1 ? all.slice(1) : all;
  const [keyword] = words;
  if (isOdd) return { risk: risks.get(keyword ?? '') ?? riskOfWords(words) ?? 'unknown' };
  if (keyword === undefined || conditions.has(keyword) || sectionKeywords.has(keyword)) return harmless;
  const special = risks.get(keyword) ?? riskOfWords(words);
  if (special !== undefined) return { risk: special };
  if (!knownDirectives.has(keyword)) return unknown([keyword]);
  if (rules.has(keyword)) return judgeRule(words);
  const [from, table] =
    keyword === 'stats' && words[1] === 'socket' ? [3, bindOptions] : (optionLines.get(keyword) ?? []);
  if (from !== undefined && table !== undefined) return judgeOptions(words, from, table);
  return judgeRest(keyword, words, line);
}

/** What is the same wherever it stands. */
function riskOfWords(words: readonly string[]): LineRisk | undefined {
  // It may stand for whatever word says that a file follows.
  const variable = formats.has(words[0] ?? '') ? -1 : words.findIndex((word) => word.includes(variableMark));
  if (variable >= 0 && words.slice(variable + 1).some(isOutside)) return 'file';
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const risk = expressionRisk(word);
    if (risk !== undefined) return risk;
    if (word === '-f' && isOutside(words[at + 1] ?? '')) return 'file';
  }
  return undefined;
}

function judgeRest(keyword: string, words: readonly string[], line: string): JudgedLine {
  const [, second = ''] = words;
  switch (keyword) {
    case 'default-path':
      // An origin that is written plainly is replaced by the folder of the check.
      return (words.length === 2 && (second === 'config' || second === 'current')) || plainOrigin.test(line)
        ? harmless
        : { risk: 'file' };
    case 'option':
      if (second === 'external-check') return { risk: 'code' };
      return knownOptions.has(second) ? harmless : unknown([keyword, second]);
    case 'filter':
      if (codeFilters.has(second)) return { risk: 'load' };
      // Its configuration is a file of its own, with conditions that read files.
      if (second === 'spoe') return { risk: 'file' };
      return plainFilters.has(second) ? harmless : unknown([keyword, second]);
    case 'http-check':
    case 'tcp-check':
      return checkRules.has(second.replace(/\(.*/s, '')) ? harmless : unknown([keyword, second]);
    case 'http-error':
      return judgeReply(words, 1);
    default:
      return !withoutFiles.has(keyword) && words.some(isOutside) ? { risk: 'file' } : harmless;
  }
}

function judgeRule(words: readonly string[]): JudgedLine {
  const at = ruleScopes.has(words[1] ?? '') ? 2 : 1;
  const action = words[at];
  if (action === undefined) return harmless;
  const name = action.replace(/\(.*/s, '').replace(/^(track-sc)\d+$/, '$1');
  if (name === 'ot-group') return { risk: 'load' };
  if (name === 'send-spoe-group') return { risk: 'file' };
  if (!knownActions.has(name)) return unknown([...words.slice(0, at), action]);
  return name === 'return' || name === 'deny' || name === 'tarpit' ? judgeReply(words, at + 1) : harmless;
}

/** How many words follow each parameter of a reply. */
const replyParameters: Readonly<Record<string, number>> = {
  status: 1,
  deny_status: 1,
  'content-type': 1,
  'default-errorfiles': 0,
  errorfile: 1,
  errorfiles: 1,
  file: 1,
  'lf-file': 1,
  string: 1,
  'lf-string': 1,
  hdr: 2,
};

function judgeReply(words: readonly string[], from: number): JudgedLine {
  for (let at = from; at < words.length;) {
    const parameter = words[at] ?? '';
    if (parameter === 'if' || parameter === 'unless') return harmless;
    const length = Object.hasOwn(replyParameters, parameter) ? replyParameters[parameter] : undefined;
    if (length === undefined) return unknown(words.slice(0, at + 1));
    // The text of an lf-file is a format, with expressions that name files.
    if (parameter === 'lf-file') return { risk: 'file' };
    if ((parameter === 'file' || parameter === 'errorfile') && isOutside(words[at + 1] ?? ''))
      return { risk: 'file' };
    at += 1 + length;
  }
  return harmless;
}

function judgeOptions(
  words: readonly string[],
  from: number,
  table: ReadonlyMap<string, number>,
): JudgedLine {
  for (let at = from; at < words.length; at++) {
    const option = words[at] ?? '';
    const length = table.get(option.replace(/\(.*/s, ''));
    if (length === undefined) return isOutside(option) ? { risk: 'file' } : unknown(words.slice(0, at + 1));
    if (length === 0) continue;
    if (isOutside(words[at + 1] ?? '') && !optionsWithoutFiles.has(option)) return { risk: 'file' };
    at += length;
  }
  return harmless;
}

const plain = /^[A-Za-z0-9_.:@*+,/%[\]()-]+$/;

function unknown(beginning: readonly string[]): JudgedLine {
  const isPlain = beginning.every((word, at) => plain.test(word) && (at === 0 || !isOutside(word) || at < 3));
  return isPlain ? { risk: 'unknown', beginning: beginning.join(' ') } : { risk: 'unknown' };
}
