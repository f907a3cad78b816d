import type { Dispatcher } from 'undici';
import { errorMessage } from '../lib/error-message.ts';
import { fencedDispatcher } from '../lib/http/fenced-dispatcher.ts';
import type { Connection, KubeCredentials } from './credentials.ts';
import type { KubeFailure, KubeResult } from './kube-failure.ts';
import { sharedAgent, type SharedAgent } from './shared-agent.ts';
import { statusFailure } from './status-failure.ts';

export interface KubeRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute path at the API server, names percent-encoded: `/api/v1/namespaces/default/pods`. */
  readonly path: string;
  /** Parameters with the value `undefined` are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Longest silence within the answer's body, milliseconds. Default 30 s; a watch says more. */
  readonly bodyTimeout?: number;
  /** Asked right before the first byte leaves, also of a repetition: when it says no the answer is `not_leader`. Default: it may. */
  readonly mayLeave?: () => boolean;
}

/** A 2xx answer. The body must be read to its end or destroyed, else its connection stays busy. */
export interface KubeResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: KubeBody;
}

/** Iterating pulls: an unread body stops the sender. Throws when the connection breaks or the signal aborts. */
export interface KubeBody extends AsyncIterable<Uint8Array> {
  text(): Promise<string>;
}

/** Requests to one API server, over one connection pool. Never rejects and never throws. */
export interface KubeTransport {
  request(request: KubeRequest): Promise<KubeResult<KubeResponse>>;
  /** Ends all connections and running requests; later requests are `aborted`. */
  close(): Promise<void>;
}

export interface KubeTransportOptions {
  /** For tests: takes the place of the connection pool. */
  readonly agent?: SharedAgent;
  /** Milliseconds since the epoch, for `Retry-After` dates. */
  readonly now?: () => number;
  /** Told about what cannot be returned to anybody (closing a replaced pool failed). */
  readonly onBackgroundError?: (error: unknown) => void;
}

const defaultBodyTimeoutMs = 30_000;
const longestErrorBody = 64 * 1024;
/** Known by identity: it never leaves this file. */
const notLeader = new Error('not the leader');

/**
 * A transport over borrowed credentials: headers are asked for with every request, the pool is shared. A 401 makes the
 * credentials be loaded again, once for all requests that met it, and is tried once more; a second 401 is the answer.
 */
export function kubeTransport(
  credentials: KubeCredentials,
  options: KubeTransportOptions = {},
): KubeTransport {
  const agent = options.agent ?? sharedAgent(options.onBackgroundError ?? (() => undefined));
  const now = options.now ?? Date.now;
  let generation = 0;
  let closed = false;

  const attempt = async (request: KubeRequest): Promise<KubeResult<KubeResponse>> => {
    let connection: Connection;
    try {
      connection = await credentials.connection();
    } catch (error) {
      return { ok: false, failure: { kind: 'credentials', message: wordsOf(error) } };
    }
    if (closed || request.signal?.aborted === true) return { ok: false, failure: { kind: 'aborted' } };
    const { mayLeave } = request;
    const pool = agent.agentFor(connection.tls);
    const dispatcher = mayLeave === undefined ? pool : fencedDispatcher(pool, mayLeave, () => notLeader);
    try {
      const response = await dispatcher.request(requestOptions(connection, request));
      if (response.statusCode >= 200 && response.statusCode < 300)
        return {
          ok: true,
          value: { status: response.statusCode, headers: response.headers, body: response.body },
        };
      return { ok: false, failure: await refusalOf(response, now()) };
    } catch (error) {
      if (error === notLeader) return { ok: false, failure: { kind: 'not_leader' } };
      return { ok: false, failure: networkFailure(error, request.signal) };
    }
  };

  return {
    request: async (request) => {
      const before = generation;
      const first = await attempt(request);
      if (first.ok || first.failure.kind !== 'http' || first.failure.status !== 401) return first;
      if (generation === before) {
        generation += 1;
        try {
          credentials.rebuild();
        } catch (error) {
          return { ok: false, failure: { kind: 'credentials', message: wordsOf(error) } };
        }
      }
      return attempt(request);
    },
    close: () => {
      closed = true;
      return agent.destroy();
    },
  };
}

function requestOptions(connection: Connection, request: KubeRequest): Dispatcher.RequestOptions {
  const { origin, pathname } = new URL(connection.server);
  const query = Object.entries(request.query ?? {})
    .filter((entry): entry is [string, string | number | boolean] => entry[1] !== undefined)
    .map(([name, value]): [string, string] => [name, String(value)]);
  const search = query.length === 0 ? '' : `?${new URLSearchParams(query).toString()}`;
  return {
    origin,
    path: `${pathname === '/' ? '' : pathname}${request.path}${search}`,
    method: request.method ?? 'GET',
    headers: {
      accept: 'application/json',
      'user-agent': 'haptic',
      ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...request.headers,
      ...connection.headers,
    },
    body: request.body === undefined ? null : JSON.stringify(request.body),
    bodyTimeout: request.bodyTimeout ?? defaultBodyTimeoutMs,
    ...(request.signal === undefined ? {} : { signal: request.signal }),
  };
}

async function refusalOf(response: Dispatcher.ResponseData, now: number): Promise<KubeFailure> {
  const header = response.headers['retry-after'];
  const retryAfter = typeof header === 'string' ? header : header?.[0];
  return statusFailure(response.statusCode, parsed(await errorBody(response)), { retryAfter, now });
}

/** What there is of the error's text: a broken or endless one must not hide the status. */
async function errorBody(response: Dispatcher.ResponseData): Promise<string> {
  const body: AsyncIterable<Uint8Array> = response.body;
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > longestErrorBody) break;
    }
  } catch {
    // The status is known; the text so far has to do.
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** What broke a connection, as a value; also for errors thrown while a body is read. */
export function networkFailure(error: unknown, signal: AbortSignal | undefined): KubeFailure {
  if (signal?.aborted === true) return { kind: 'aborted' };
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'ERR_UNKNOWN';
  return { kind: 'network', code, message: wordsOf(error) };
}

function wordsOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '')
    return error.errors.map((inner: unknown) => wordsOf(inner)).join('; ');
  return errorMessage(error);
}
