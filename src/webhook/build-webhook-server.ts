import fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  LogController,
} from 'fastify';
import { CodedError } from '../lib/coded-error.ts';
import { parseDuration } from '../lib/duration.ts';
import type { Admission } from './admission.ts';
import type { AdmissionQueue } from './admission-queue.ts';
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
  readonly queue: AdmissionQueue;
  /** Where configurations wait, which take seconds: objects do not wait for them. Default: the same queue. */
  readonly configurationQueue?: AdmissionQueue;
  readonly identity: WebhookIdentity;
  readonly metrics: WebhookMetrics;
  readonly log: FastifyBaseLogger;
  readonly limits?: WebhookLimits;
  /** Milliseconds, monotonic. */
  readonly now?: () => number;
}

/** Where API servers send admission reviews. */
const validatePath = '/validate';

/**
 * The webhook over HTTPS, not listening yet: `POST /validate` takes an AdmissionReview (admission.k8s.io/v1) and answers with one;
 * `GET /healthz`. What is no such review is refused with a Status, as is what cannot be decided (503) or is not watched (404): whether
 * the object gets in then is up to the failure policy. Never logs an object.
 */
export function buildWebhookServer(deps: WebhookServerDeps): FastifyInstance {
  const { log, metrics, limits = webhookLimits, now = () => performance.now() } = deps;
  const { queue, configurationQueue = queue } = deps;
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: limits.bodyBytes,
    // A review that is under way is answered.
    forceCloseConnections: 'idle',
    serverFactory: (handler) =>
      createWebhookTlsServer(
        {
          headersTimeout: limits.readMs,
          requestTimeout: limits.readMs,
          keepAliveTimeout: limits.idleMs,
        },
        handler,
        {
          identity: deps.identity,
          log,
          handshakeTimeoutMs: limits.readMs,
          onCertificate: certificateNoted(metrics),
        },
      ),
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );

  app.setErrorHandler<FastifyError>(async (error, _request, reply) => {
    const status = error.statusCode ?? 500;
    metrics.requests.inc({ gvk: '', result: status >= 500 ? 'error' : 'invalid' });
    if (status >= 500) log.error({ err: error }, 'admission request failed');
    await refuse(
      reply,
      status,
      status >= 500 ? 'the webhook failed; its log has the reason' : wordsOf(status, error, limits),
    );
  });
  app.setNotFoundHandler(async (_request, reply) => {
    await refuse(reply, 404, `there is no such endpoint: send AdmissionReviews to POST ${validatePath}`);
  });
  app.get('/healthz', () => ({ status: 'ok' }));
  app.post<{ Querystring: { timeout?: string } }>(validatePath, async ({ body, query }, reply) => {
    const begun = now();
    let request: AdmissionRequest;
    try {
      request = parseAdmissionReview(parseJson(body));
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      metrics.requests.inc({ gvk: '', result: 'invalid' });
      return refuse(reply, 400, error.message, error.code);
    }
    const gvk = deps.isKnown(request) ? gvkOf(request) : 'other';
    const admission = await answerTo(request, query.timeout);
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

  async function answerTo(request: AdmissionRequest, timeout: string | undefined): Promise<Admission> {
    const own = isConfigurationRequest(request) ? configurationQueue : queue;
    const answer = own.run((signal) => deps.admit(request, signal), timeoutOf(timeout, limits));
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
    const sizes = [...new Set([queue, configurationQueue])].map(({ size }) => size);
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

function parseJson(body: unknown): unknown {
  const text = Buffer.isBuffer(body) ? body.toString('utf8') : '';
  try {
    return JSON.parse(text);
  } catch {
    // Where in the text it goes wrong would show what stands there.
    throw new CodedError('HAPTIC_ERR_WEBHOOK_REVIEW', 'the body is no JSON');
  }
}

function wordsOf(status: number, error: FastifyError, { bodyBytes }: WebhookLimits): string {
  if (status === 413) return `the body is larger than ${bodyBytes} bytes`;
  if (status === 415) return 'the content type must be application/json';
  return error.message;
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
