import fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  LogController,
} from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate as immediate } from 'node:timers/promises';
import { CodedError } from '../lib/coded-error.ts';
import { parseDuration } from '../lib/duration.ts';
import type { Admission } from './admission.ts';
import type { AdmissionQueue } from './admission-queue.ts';
import { createBodyReader } from './body-reader.ts';
import { bodyTooLarge } from './body-too-large.ts';
import type { AdmissionRequest } from './admission-request.ts';
import { admissionReviewOf } from './admission-review-of.ts';
import { isConfigurationRequest } from './is-configuration-request.ts';
import { parseAdmissionReview } from './parse-admission-review.ts';
import { webhookLimits, type WebhookLimits } from './webhook-limits.ts';
import type { WebhookMetrics } from './webhook-metrics.ts';
import { createWebhookTlsServer, type WebhookIdentity } from './webhook-tls.ts';

export interface WebhookServerDeps {
  readonly admit: (request: AdmissionRequest, signal: AbortSignal) => Promise<Admission>;
  /** Kinds that the configuration watches, and its own: others are all counted as one. */
  readonly isKnown: (request: AdmissionRequest) => boolean;
  /**
   * Whether who shows this ticket is an API server, as far as configurations go: they are tried with everything that the controller reads, and the
   * answer says what came of it. Default: everybody is.
   */
  readonly mayConfigure?: (ticket: string | undefined) => boolean;
  readonly queue: AdmissionQueue;
  /** Where configurations wait, which take seconds: objects do not wait for them. Default: the same queue. */
  readonly configurationQueue?: AdmissionQueue;
  /** Where large objects wait, which may take long: whoever applies one holds up nobody else. Default: the same queue. */
  readonly largeQueue?: AdmissionQueue;
  readonly identity: WebhookIdentity;
  readonly metrics: WebhookMetrics;
  readonly log: FastifyBaseLogger;
  readonly limits?: WebhookLimits;
  /** Milliseconds, monotonic. */
  readonly now?: () => number;
}

const lookMs = 1_000;

interface Asked {
  readonly Querystring: { readonly timeout?: string };
  readonly Params: { readonly ticket?: string };
}

/** Where API servers send admission reviews. */
const validatePath = '/validate';

/**
 * The webhook over HTTPS, not listening yet: `POST /validate` and `/validate/TICKET` take an AdmissionReview (admission.k8s.io/v1) and answer with one;
 * `GET /healthz`. What is no such review is refused with a Status, as is what cannot be decided (503) or is not watched (404): whether
 * the object gets in then is up to the failure policy. Never logs an object.
 */
export function buildWebhookServer(deps: WebhookServerDeps): FastifyInstance {
  const { log, metrics, limits = webhookLimits, now = () => performance.now() } = deps;
  const { mayConfigure = () => true } = deps;
  const { queue, configurationQueue = queue, largeQueue = queue } = deps;
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    // A review that is under way is answered.
    forceCloseConnections: 'idle',
    serverFactory: (handler) =>
      createWebhookTlsServer(
        {
          headersTimeout: limits.readMs,
          requestTimeout: limits.readMs,
          connectionsCheckingInterval: lookMs,
          keepAliveTimeout: limits.idleMs,
        },
        handler,
        {
          identity: deps.identity,
          log,
          handshakeTimeoutMs: limits.readMs,
          connections: limits.connections,
          onCertificate: certificateNoted(metrics),
        },
      ),
  });
  app.removeAllContentTypeParsers();
  const readBody = createBodyReader(limits);
  const ownTurn = turnForEach();
  app.addContentTypeParser('application/json', (_request, body, done) => done(null, body));
  // What is refused before its body was read ends the connection: nobody is to listen to the rest.
  app.addHook('onRequest', async ({ is404 }, reply) => {
    if (is404)
      await refuseUnread(
        reply,
        404,
        `there is no such endpoint: send AdmissionReviews to POST ${validatePath}`,
      );
  });

  app.setErrorHandler<FastifyError>(async (error, _request, reply) => {
    const status = error.statusCode ?? 500;
    metrics.requests.inc({ gvk: '', result: status >= 500 ? 'error' : 'invalid' });
    if (status >= 500) log.error({ err: error }, 'admission request failed');
    await refuseUnread(
      reply,
      status,
      status >= 500 ? 'the webhook failed; its log has the reason' : wordsOf(status, error),
    );
  });
  app.get('/healthz', () => ({ status: 'ok' }));
  app.post<Asked>(`${validatePath}/:ticket?`, async ({ body, query, headers, params }, reply) => {
    const begun = now();
    const gone = new AbortController();
    reply.raw.once('close', () =>
      gone.abort(new CodedError('HAPTIC_ERR_WEBHOOK_OVERDUE', 'whoever asked does not wait any more')),
    );
    let request: AdmissionRequest;
    let own = queue;
    try {
      const text = await textOf(body, headers, gone.signal);
      const isLarge = text.length > limits.largeCharacters;
      if (isLarge) await ownTurn();
      request = parseAdmissionReview(parseJson(text));
      if (isConfigurationRequest(request)) own = configurationQueue;
      else if (isLarge) own = largeQueue;
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      const status = statusOf(error);
      metrics.requests.inc({ gvk: '', result: status >= 500 ? 'error' : 'invalid' });
      return status === 400
        ? refuse(reply, status, error.message, error.code)
        : refuseUnread(reply, status, error.message, error.code);
    }
    if (isConfigurationRequest(request) && !mayConfigure(params.ticket)) {
      metrics.requests.inc({ gvk: '', result: 'invalid' });
      return refuse(reply, 403, notOurs);
    }
    const gvk = deps.isKnown(request) ? gvkOf(request) : 'other';
    const work = (signal: AbortSignal) => deps.admit(request, signal);
    // The API server waits since it began to ask.
    const timeoutMs = Math.floor(timeoutOf(query.timeout, limits) - (now() - begun));
    const admission = await answerTo(own.run(work, timeoutMs, gone.signal));
    const result = { allowed: 'allowed', denied: 'denied', unknown: 'error', unwatched: 'unregistered' }[
      admission.kind
    ];
    metrics.requests.inc({ gvk, result });
    metrics.requestSeconds.observe({ result }, (now() - begun) / 1000);
    if (admission.kind !== 'unknown') metrics.validations.inc({ gvk, result });
    if ('scope' in admission) metrics.checks.inc({ scope: admission.scope });
    switch (admission.kind) {
      case 'unwatched':
        return refuse(reply, 404, admission.message);
      case 'unknown':
        log.warn({ ...about(request), reason: admission.message }, 'admission could not be decided');
        return refuse(reply, 503, admission.message);
      case 'denied':
        log.info(
          { ...about(request), causes: admission.causes.map(({ message }) => message) },
          'admission denied',
        );
        return reply.send(admissionReviewOf(request, admission));
      case 'allowed':
        return reply.send(admissionReviewOf(request, admission));
    }
  });
  return app;

  /** Its memory counts until the answer is out. */
  async function textOf(
    body: unknown,
    { 'content-length': size = '0' }: IncomingHttpHeaders,
    gone: AbortSignal,
  ): Promise<string> {
    if (!(body instanceof Readable)) return '';
    if (Number(size) > limits.bodyBytes) throw bodyTooLarge(`larger than ${limits.bodyBytes} bytes`);
    const held = readBody(body);
    gone.addEventListener('abort', held.release, { once: true });
    return held.text;
  }

  async function answerTo(answer: Promise<Admission>): Promise<Admission> {
    noteLoad();
    try {
      return await answer;
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      return { kind: 'unknown', message: error.message };
    } finally {
      noteLoad();
    }
  }

  function noteLoad(): void {
    const sizes = [...new Set([queue, configurationQueue, largeQueue])].map(({ size }) => size);
    metrics.running.set(sizes.reduce((sum, { running }) => sum + running, 0));
    metrics.waiting.set(sizes.reduce((sum, { waiting }) => sum + waiting, 0));
  }
}

/** API servers say how long they wait (`?timeout=10s`); the answer has to be there a little earlier. */
function timeoutOf(text: string | undefined, { timeoutMs, marginMs }: WebhookLimits): number {
  if (text === undefined) return timeoutMs - marginMs;
  try {
    const asked = parseDuration(text, 'timeout');
    return Math.max(Math.min(asked, 30_000) - marginMs, marginMs);
  } catch {
    return timeoutMs - marginMs;
  }
}

/** Waits for a turn of the event loop that no other waiter has. */
function turnForEach(): () => Promise<void> {
  let last = Promise.resolve();
  return () => (last = last.then(() => immediate()));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Where in the text it goes wrong would show what stands there.
    throw new CodedError('HAPTIC_ERR_WEBHOOK_REVIEW', 'the body is no JSON');
  }
}

function statusOf({ code }: CodedError): number {
  if (code === 'HAPTIC_ERR_WEBHOOK_SIZE') return 413;
  return code === 'HAPTIC_ERR_WEBHOOK_BUSY' ? 503 : 400;
}

function wordsOf(status: number, error: FastifyError): string {
  if (status === 415) return 'the content type must be application/json';
  return error.message;
}

const notOurs =
  'configurations are tried for API servers alone, which show the uid of the ValidatingWebhookConfiguration in the path; ' +
  'after it was made anew, controllers learn that within minutes';

/** Of the rest of the request nothing is read. */
function refuseUnread(reply: FastifyReply, ...words: readonly [number, string, string?]): FastifyReply {
  return refuse(reply.header('connection', 'close'), ...words);
}

/** API servers show the message of a Status to whoever sent the object. */
function refuse(reply: FastifyReply, status: number, message: string, reason = ''): FastifyReply {
  return reply.status(status).send({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `haptic webhook: ${message}`,
    ...(reason === '' ? {} : { reason }),
    code: status,
  });
}

function gvkOf({ group, version, kind }: AdmissionRequest): string {
  return `${group === '' ? '' : `${group}/`}${version}.${kind}`;
}

function about({ kind, namespace, name, operation, dryRun, uid }: AdmissionRequest) {
  return { kind, namespace, name, operation, dryRun, uid };
}

function certificateNoted(metrics: WebhookMetrics) {
  let isFirst = true;
  return ({ leaf }: { readonly leaf: { readonly validToDate: Date } }) => {
    metrics.certificateExpiry.set(leaf.validToDate.getTime() / 1000);
    if (!isFirst) metrics.certificateRotations.inc();
    isFirst = false;
  };
}
