import { request, type Dispatcher } from 'undici';
import { CodedError } from '../coded-error.ts';
import { errorCode } from '../error-code.ts';
import { errorMessage } from '../error-message.ts';
import { retryAfterMs } from '../retry-after.ts';
import { shownUrl } from '../shown-url.ts';
import { type FetchOutcome, fetchFailure, type HttpValidators } from './fetch-outcome.ts';
import { hostAllowed } from './host-allowed.ts';
import { discard, headerOf, readText } from './read-text.ts';

export interface FetchTextRequest {
  /** Absolute, http or https, without user and password. */
  readonly url: string;
  /** Credentials: sent to the origin of the URL alone, until a redirect leads elsewhere for the first time. */
  readonly headers: Readonly<Record<string, string>>;
  readonly validators: HttpValidators;
  readonly contentType?: string;
  readonly maxBytes: number;
  readonly allowedHosts: readonly string[];
  /** Longest silence, milliseconds. The whole is bounded by the signal. */
  readonly silence: number;
}

const maxRedirects = 10;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const userAgent = 'haptic';
/** No server may silence somebody for longer, in milliseconds. */
const longestPause = 3_600_000;
/** What servers take in a header, and any request can carry. */
const mark = /^[\x20-\x7e]{1,1024}$/;

/**
 * One GET of a text, redirects followed. Rejects never; after an abort the outcome means nothing. Each hop must be http or https, of an
 * allowed host, and may not go from https to http; that the address is one to ask is the dispatcher's to check.
 */
export async function fetchText(
  dispatcher: Dispatcher,
  wanted: FetchTextRequest,
  signal: AbortSignal,
): Promise<FetchOutcome> {
  try {
    return await follow(dispatcher, wanted, signal);
  } catch (error) {
    if (error instanceof CodedError) return fetchFailure('AddressRefused', error.message);
    return fetchFailure('FetchFailed', wordsOf(error), true);
  }
}

async function follow(
  dispatcher: Dispatcher,
  wanted: FetchTextRequest,
  signal: AbortSignal,
): Promise<FetchOutcome> {
  const { origin } = new URL(wanted.url);
  let url = new URL(wanted.url);
  let headers = wanted.headers;
  for (let hop = 0; hop <= maxRedirects; hop++) {
    if (!hostAllowed(bareHost(url), wanted.allowedHosts))
      return fetchFailure('AddressRefused', `the host ${bareHost(url)} is not among those that may be asked`);
    // Whoever leads back may choose the path.
    if (url.origin !== origin) headers = {};
    const asked = conditions(wanted, url);
    const answer = await request(url, {
      dispatcher,
      signal,
      headersTimeout: wanted.silence,
      bodyTimeout: wanted.silence,
      headers: {
        'user-agent': userAgent,
        accept: wanted.contentType?.includes('/') === true ? wanted.contentType : '*/*',
        'accept-encoding': 'identity',
        ...asked,
        ...headers,
      },
    });
    const { statusCode: status } = answer;
    if (!redirects.has(status)) return await outcomeOf(answer, wanted, url, asked);
    discard(answer.body);
    const next = redirectOf(url, headerOf(answer.headers, 'location'), status);
    if (!(next instanceof URL)) return next;
    url = next;
  }
  return fetchFailure('FetchFailed', `more than ${maxRedirects} redirects`);
}

function redirectOf(from: URL, location: string | undefined, status: number) {
  if (location === undefined || !URL.canParse(location, from.href))
    return fetchFailure('FetchFailed', `answered ${status} without a location that can be followed`);
  const to = new URL(location, from);
  if (to.protocol !== 'http:' && to.protocol !== 'https:')
    return fetchFailure('AddressRefused', `a redirect leads to ${printable(to.protocol)}`);
  if (from.protocol === 'https:' && to.protocol === 'http:')
    return fetchFailure('AddressRefused', `a redirect leads from https to ${shownUrl(to.href)}`);
  if (to.username !== '' || to.password !== '')
    return fetchFailure('AddressRefused', 'a redirect carries credentials in its URL');
  return to;
}

async function outcomeOf(
  answer: Dispatcher.ResponseData,
  wanted: FetchTextRequest,
  url: URL,
  asked: Readonly<Record<string, string>>,
): Promise<FetchOutcome> {
  const { statusCode: status, headers, body } = answer;
  if (status === 304 && Object.keys(asked).length > 0) {
    discard(body);
    return { kind: 'unchanged' };
  }
  if (status !== 200 && status !== 203) {
    discard(body);
    const failure = fetchFailure('FetchFailed', `answered ${status}`, status >= 500);
    if (status !== 429 && status !== 503) return failure;
    const retryAfter = retryAfterMs(headerOf(headers, 'retry-after'), Date.now(), longestPause);
    return { ...failure, ...(retryAfter !== undefined && { retryAfter }) };
  }
  const read = await readText(answer, {
    maxBytes: wanted.maxBytes,
    ...(wanted.contentType !== undefined && { contentType: wanted.contentType }),
  });
  if (read.kind === 'failed') return read;
  const etag = markOf(headers, 'etag');
  const lastModified = markOf(headers, 'last-modified');
  const isElsewhere = url.href !== new URL(wanted.url).href;
  return {
    ...read,
    kind: 'fetched',
    validators: {
      ...(etag !== undefined && { etag }),
      ...(lastModified !== undefined && { lastModified }),
      ...(isElsewhere && { from: url.href }),
    },
  };
}

/** Undefined also for one with which every later request would fail. */
function markOf(headers: Dispatcher.ResponseData['headers'], name: string): string | undefined {
  const value = headerOf(headers, name);
  return value !== undefined && mark.test(value) ? value : undefined;
}

function conditions({ url, validators }: FetchTextRequest, to: URL): Readonly<Record<string, string>> {
  const { etag, lastModified, from = url } = validators;
  if (new URL(from).href !== to.href) return {};
  return {
    ...(etag !== undefined && { 'if-none-match': etag }),
    ...(lastModified !== undefined && { 'if-modified-since': lastModified }),
  };
}

function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** Of several attempts at the addresses of one host, each says its own. */
function wordsOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '')
    return error.errors.map((inner: unknown) => errorMessage(inner)).join('; ');
  const code = errorCode(error);
  return code === 'ENOTFOUND' || code === 'EAI_AGAIN'
    ? `the host has no address (${code})`
    : errorMessage(error);
}

function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, 80);
}
