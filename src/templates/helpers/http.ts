import { CodedError } from '../../lib/coded-error.ts';
import { parseDuration } from '../../lib/duration.ts';
import { isRecord } from '../../lib/is-record.ts';
import { shownUrl } from '../../lib/shown-url.ts';
import type { HttpWant } from '../../protocol/http-content.ts';
import type { HelperTable } from '../helper-spec.ts';
import { textOf } from './arguments.ts';
import { isGiven } from './server-line.ts';

type Named = Readonly<Record<string, unknown>>;

const defaults = { timeout: 30_000, retries: 3 };
const credentials = { basic: ['username', 'password'], bearer: ['token'], header: ['headers'] } as const;
const maxRetries = 10;
/** What servers take in general (RFC 9110, section 4.1). */
const longestUrl = 8_000;
// RFC 9110, section 5.6.2 (token) and 5.5 (field-value, printable ASCII).
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const headerValue = /^[\x20-\x7e]*$/;

/** Content from elsewhere. Fetched beside the render; the read is tracked like every other. */
export const httpHelpers: HelperTable = {
  http: {
    signature:
      'http "https://…" delay="5m" timeout="30s" retries=3 critical=true contentType="text/plain" auth="bearer" token=t',
    summary:
      'The text that a URL has, fetched beside the render and read again after `delay`; the fragment is printed again when it changes. `auth` is `basic` (`username`, `password`), `bearer` (`token`) or `header` (`headers`). Without content yet the item waits, and with `critical` it is refused when there is none.',
    example:
      '{{#each (lines (http "https://example.com/blocklist.txt" delay="5m")) as |line|}}{{mapEntry "maps/blocked.map" (mapKey line) "1"}}{{/each}}',
    output: 'value',
    args: [1, 1],
    hash: [
      'delay',
      'timeout',
      'retries',
      'critical',
      'contentType',
      'auth',
      'username',
      'password',
      'token',
      'headers',
    ],
    only: 'fragment',
    call: ([url], { options: { hash }, run }) => {
      const { reads } = run;
      const want = wantOf(textOf(url), hash);
      const isCritical = isTrue(hash, 'critical');
      if (reads?.http === undefined) throw new RangeError('there is no HTTP content here');
      const content = reads.http(want);
      if (content.kind === 'content') return content.text;
      const shown = shownUrl(want.url);
      if (content.kind === 'waiting') throw missing('ContentPending', `${shown} was not fetched yet`);
      const message = `${shown}: ${content.message}`;
      if (isCritical) throw missing('CriticalContentMissing', message);
      reads.warn({ message, field: '', reason: content.reason });
      return '';
    },
  },
};

function missing(reason: string, message: string): CodedError {
  return new CodedError('HAPTIC_ERR_TEMPLATE_FAIL', message, { cause: { field: '', reason } });
}

function wantOf(url: string, hash: Named): HttpWant {
  const { contentType } = hash;
  return {
    url: absoluteUrl(url),
    headers: headersOf(hash),
    refresh: durationOf(hash, 'delay', 0),
    timeout: durationOf(hash, 'timeout', defaults.timeout),
    retries: retriesOf(hash),
    ...(isGiven(contentType) && { contentType: textOf(contentType).trim().toLowerCase() }),
  };
}

function absoluteUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hostname === '')
    throw new RangeError(`${shownUrl(text)} is no URL that begins with http:// or https://`);
  if (url.username !== '' || url.password !== '')
    throw new RangeError(`${shownUrl(text)}: credentials go into auth="basic" username= password=`);
  url.hash = '';
  if (url.href.length > longestUrl)
    throw new RangeError(`${shownUrl(text).slice(0, 100)}… is a URL of ${url.href.length} characters`);
  return url.href;
}

function headersOf(hash: Named): Readonly<Record<string, string>> {
  const { auth } = hash;
  const type = isGiven(auth) ? textOf(auth) : undefined;
  if (type !== undefined && type !== 'basic' && type !== 'bearer' && type !== 'header')
    throw new RangeError('auth is one of "basic", "bearer" and "header"');
  const needed: readonly string[] = type === undefined ? [] : credentials[type];
  for (const name of Object.values(credentials).flat())
    if (!needed.includes(name) && isGiven(hash[name]))
      throw new RangeError(
        type === undefined ? `${name} needs auth=` : `${name} is not used by auth="${type}"`,
      );
  const given = (name: string): string => {
    if (!isGiven(hash[name])) throw new RangeError(`auth="${type ?? ''}" needs ${name}=`);
    return textOf(hash[name]);
  };
  if (type === 'basic') {
    const pair = `${given('username')}:${given('password')}`;
    return { authorization: `Basic ${Buffer.from(pair, 'utf8').toString('base64')}` };
  }
  if (type === 'bearer') return checkedHeaders({ authorization: `Bearer ${given('token')}` });
  return type === 'header' ? checkedHeaders(hash['headers']) : {};
}

/** Values never stand in a message: they are what is to be kept secret. */
function checkedHeaders(headers: unknown): Readonly<Record<string, string>> {
  if (!isRecord(headers)) throw new RangeError('headers is an object of names and values');
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const text = typeof value === 'string' ? value.trim() : undefined;
      if (!headerName.test(name) || text === undefined || !headerValue.test(text))
        throw new RangeError(
          `the header ${JSON.stringify(name)} has a name or value that no request can carry`,
        );
      return [name.toLowerCase(), text] as const;
    }),
  );
}

function durationOf(hash: Named, name: string, fallback: number): number {
  const text = hash[name];
  if (!isGiven(text)) return fallback;
  if (typeof text !== 'string')
    throw new RangeError(`${name} is a duration such as "30s", not a ${typeof text}`);
  return parseDuration(text, name);
}

function retriesOf({ retries }: Named): number {
  if (!isGiven(retries)) return defaults.retries;
  if (typeof retries !== 'number' || !Number.isInteger(retries) || retries < 0 || retries > maxRetries)
    throw new RangeError(`retries is a number from 0 to ${maxRetries}`);
  return retries;
}

function isTrue(hash: Named, name: string): boolean {
  const flag = hash[name];
  if (isGiven(flag) && typeof flag !== 'boolean') throw new RangeError(`${name} is true or false`);
  return flag === true;
}
