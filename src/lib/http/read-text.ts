import type { Dispatcher } from 'undici';
import { digest } from '../digest.ts';
import { type FetchFailure, fetchFailure } from './fetch-outcome.ts';

export interface ReadTextOptions {
  /** Bytes; what is longer is cut off there, and refused. */
  readonly maxBytes: number;
  /** See {@link HttpWant.contentType}. */
  readonly contentType?: string;
}

export interface ReadText {
  readonly kind: 'text';
  readonly text: string;
  readonly digest: string;
  readonly bytes: number;
}

const pages: ReadonlySet<string> = new Set(['text/html', 'application/xhtml+xml']);
/** Charsets of which every text is the same bytes in UTF-8. */
const utf8: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii', 'ascii']);
const pageBegins = /^[\s\ufeff]*(<!--[\s\S]{0,1024}?-->\s*)*<(!doctype\s+html|html)\b/i;

/**
 * The body of an answer as text. What is too big, is not of the wanted type, is not UTF-8, or is a page where none is wanted, is a failure; the
 * rest of such a body is not read. Throws when the connection breaks off.
 */
export async function readText(
  { headers, body }: Pick<Dispatcher.ResponseData, 'headers' | 'body'>,
  options: ReadTextOptions,
): Promise<ReadText | FetchFailure> {
  const refusal = refusalOfHeaders(headers, options);
  if (refusal !== undefined) {
    discard(body);
    return refusal;
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    // Leaving the loop destroys the body.
    if (bytes > options.maxBytes) return tooBig(options);
    chunks.push(chunk);
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    return fetchFailure('ContentUnexpected', 'the answer is not text in UTF-8');
  }
  if (!wantsPages(options) && pageBegins.test(text.slice(0, 2048)))
    return fetchFailure('ContentUnexpected', 'the answer is a page (HTML), as logins and error pages are');
  return { kind: 'text', text, digest: digest(text), bytes };
}

type Headers = Dispatcher.ResponseData['headers'];

function refusalOfHeaders(headers: Headers, options: ReadTextOptions): FetchFailure | undefined {
  const encoding = headerOf(headers, 'content-encoding')?.trim().toLowerCase();
  if (encoding !== undefined && encoding !== '' && encoding !== 'identity')
    return fetchFailure('ContentUnexpected', `the answer is encoded (${printable(encoding)}), unasked`);
  if (Number(headerOf(headers, 'content-length')) > options.maxBytes) return tooBig(options);
  const [type = '', ...parameters] = (headerOf(headers, 'content-type') ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase());
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice('charset='.length)
    .replaceAll('"', '');
  if (charset !== undefined && !utf8.has(charset))
    return fetchFailure('ContentUnexpected', `the answer is in ${printable(charset)}, not in UTF-8`);
  if (!isWanted(type, options))
    return fetchFailure(
      'ContentUnexpected',
      `the answer is ${type === '' ? 'of no type' : printable(type)}, not ${options.contentType ?? 'plain text'}`,
    );
  return undefined;
}

function isWanted(type: string, { contentType }: ReadTextOptions): boolean {
  if (contentType === undefined) return !pages.has(type);
  if (contentType === '*' || contentType === '*/*' || contentType === type) return true;
  return contentType.endsWith('/*') && type.startsWith(contentType.slice(0, -1));
}

function wantsPages({ contentType }: ReadTextOptions): boolean {
  return contentType !== undefined && [...pages].some((type) => isWanted(type, { maxBytes: 0, contentType }));
}

function tooBig({ maxBytes }: ReadTextOptions): FetchFailure {
  return fetchFailure('ContentTooBig', `the answer is longer than ${maxBytes} bytes`);
}

/** Ends an answer whose body nobody wants: draining it could take for ever. */
export function discard(body: Dispatcher.ResponseData['body']): void {
  body.on('error', () => undefined).destroy();
}

export function headerOf(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : value?.[0];
}

function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, 80);
}
