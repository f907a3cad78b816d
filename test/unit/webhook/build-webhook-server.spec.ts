import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { once } from 'node:events';
import https from 'node:https';
import net from 'node:net';
import tls from 'node:tls';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defaultPolicy } from '../../../src/certificates/certificate-policy.ts';
import { folderStore } from '../../../src/certificates/folder-store.ts';
import { renewCertificates } from '../../../src/certificates/renew-certificates.ts';
import { followTlsFolder } from '../../../src/lib/tls/tls-folder.ts';
import type { Admission } from '../../../src/webhook/admission.ts';
import type { AdmissionRequest } from '../../../src/webhook/admission-request.ts';
import { createAdmissionQueue } from '../../../src/webhook/admission-queue.ts';
import { buildWebhookServer } from '../../../src/webhook/build-webhook-server.ts';
import { webhookLimits } from '../../../src/webhook/webhook-limits.ts';
import { createWebhookMetrics } from '../../../src/webhook/webhook-metrics.ts';

const policy = { ...defaultPolicy, serverName: 'localhost' };
const ingress = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: { name: 'web', namespace: 'shop' },
};
const review = (change: Record<string, unknown> = {}) => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: {
    uid: 'u-1',
    kind: { group: 'networking.k8s.io', version: 'v1', kind: 'Ingress' },
    resource: { group: 'networking.k8s.io', version: 'v1', resource: 'ingresses' },
    name: 'web',
    namespace: 'shop',
    operation: 'CREATE',
    object: ingress,
    ...change,
  },
});

let dir = '';
let ca = '';
let server: FastifyInstance;
let registry: Registry;
let asked: AdmissionRequest[] = [];
let clock: () => number;
let answer: (request: AdmissionRequest, signal: AbortSignal) => Promise<Admission>;

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'haptic-webhook-'));
  await renewCertificates({ store: folderStore(dir), policy, now: Date.now });
  ca = await readFile(path.join(dir, 'server', 'ca.crt'), 'utf8');
});
afterAll(() => rm(dir, { recursive: true, force: true }));

beforeEach(async () => {
  asked = [];
  clock = () => performance.now();
  answer = () => Promise.resolve({ kind: 'allowed', warnings: [], scope: 'none' });
  registry = new Registry();
  server = buildWebhookServer({
    admit: (request, signal) => {
      asked.push(request);
      return answer(request, signal);
    },
    now: () => clock(),
    mayConfigure: (ticket) => ticket === 'u1',
    isKnown: ({ kind }) => kind === 'Ingress',
    queue: createAdmissionQueue({ concurrent: 1, waiting: 1 }),
    configurationQueue: createAdmissionQueue({ concurrent: 1, waiting: 1 }),
    largeQueue: createAdmissionQueue({ concurrent: 1, waiting: 1 }),
    identity: followTlsFolder(path.join(dir, 'server')),
    metrics: createWebhookMetrics(registry),
    log: pino({ level: 'silent' }),
    limits: {
      ...webhookLimits,
      bodyBytes: 64 * 1024,
      bodyValues: 1_000,
      heldBytes: 100_000,
      largeCharacters: 20_000,
      connections: 8,
    },
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(() => server.close());

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown> & {
    readonly message?: string;
    readonly response?: Record<string, unknown>;
  };
}

function post(
  body: string | object,
  options: { readonly type?: string; readonly url?: string; readonly method?: string } = {},
) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const { port } = server.server.address() as AddressInfo;
  return new Promise<Answer>((resolve, reject) => {
    const request = https.request(
      {
        host: '127.0.0.1',
        servername: 'localhost',
        port,
        ca,
        agent: false,
        path: options.url ?? '/validate',
        method: options.method ?? 'POST',
        headers: {
          'content-type': options.type ?? 'application/json',
          'content-length': Buffer.byteLength(text),
        },
      },
      (response) => {
        let received = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (received += chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(received) as Answer['body'] }),
        );
      },
    );
    request.on('error', reject);
    request.end(text);
  });
}

const metric = async (name: string, labels: Record<string, string>) => {
  const found = (await registry.getMetricsAsJSON()).find((one) => one.name === name);
  const values = (found?.values ?? []) as { labels: Record<string, string>; value: number }[];
  return values.find((one) => Object.entries(labels).every(([key, value]) => one.labels[key] === value))
    ?.value;
};

describe('an admission review', () => {
  it('is answered with its uid', async () => {
    expect(await post(review())).toEqual({
      status: 200,
      body: {
        apiVersion: 'admission.k8s.io/v1',
        kind: 'AdmissionReview',
        response: { uid: 'u-1', allowed: true },
      },
    });
    expect(asked[0]).toMatchObject({
      operation: 'CREATE',
      group: 'networking.k8s.io',
      dryRun: false,
      object: ingress,
    });
    const gvk = 'networking.k8s.io/v1.Ingress';
    expect(await metric('haptic_webhook_requests_total', { gvk, result: 'allowed' })).toBe(1);
    expect(await metric('haptic_webhook_checks_total', { scope: 'none' })).toBe(1);
  });

  it('that is under way is answered when the server closes, and further ones are not', async () => {
    const verdict = Promise.withResolvers<Admission>();
    answer = () => verdict.promise;
    const under = post(review());
    await expect.poll(() => asked.length).toBe(1);
    const closed = server.close();
    await expect.poll(() => server.server.listening).toBe(false);
    verdict.resolve({ kind: 'allowed', warnings: [], scope: 'none' });
    expect((await under).body.response).toMatchObject({ allowed: true });
    await closed;
  });

  const group = 'haproxy-haptic.org';
  it.each([
    [
      'a configuration',
      review({
        kind: { group, version: 'v1alpha1', kind: 'HAProxyTemplateConfig' },
        resource: { group, version: 'v1alpha1', resource: 'haproxytemplateconfigs' },
      }),
    ],
    ['a large object', review({ name: 'large', x: 'y'.repeat(20_000) })],
  ])('does not wait for %s, which takes its time', async (what, slow) => {
    let done = (): void => undefined;
    answer = ({ kind, name }) =>
      new Promise((resolve) => {
        const allow = () => resolve({ kind: 'allowed', warnings: [], scope: 'none' });
        if (kind === 'Ingress' && name === 'web') allow();
        else done = allow;
      });
    const waiting = post(slow, { url: what === 'a configuration' ? '/validate/u1' : '/validate' });
    await expect.poll(() => asked.length).toBe(1);
    expect((await post(review())).status).toBe(200);
    expect(await metric('haptic_webhook_requests_running', {})).toBe(1);
    done();
    expect((await waiting).status).toBe(200);
  });

  it.each(['/validate', '/validate/', '/validate/u2', '/validate/u1/u1'])(
    'of a configuration is not answered to a stranger: %s',
    async (url) => {
      const body = review({
        kind: { group, version: 'v1alpha1', kind: 'HAProxyTemplateLibrary' },
        resource: { group, version: 'v1alpha1', resource: 'haproxytemplatelibraries' },
      });
      const { status } = await post(body, { url });
      expect([403, 404]).toContain(status);
      expect(asked).toEqual([]);
      expect((await post(body, { url: '/validate/u1?timeout=10s' })).status).toBe(200);
    },
  );

  it('that is denied says which fields, in words and as causes', async () => {
    answer = () =>
      Promise.resolve({
        kind: 'denied',
        scope: 'reduced',
        warnings: ['w'],
        causes: [
          { field: 'spec.rules[0].host', message: 'is wrong' },
          { field: '', message: 'HAProxy refuses it' },
        ],
      });
    const { status, body } = await post(review());
    expect(status).toBe(200);
    expect(body.response).toEqual({
      uid: 'u-1',
      allowed: false,
      warnings: ['w'],
      status: {
        code: 422,
        reason: 'Invalid',
        message: 'spec.rules[0].host: is wrong; HAProxy refuses it',
        details: {
          name: 'web',
          group: 'networking.k8s.io',
          kind: 'Ingress',
          causes: [
            { reason: 'FieldValueInvalid', field: 'spec.rules[0].host', message: 'is wrong' },
            { reason: 'FieldValueInvalid', field: 'object', message: 'HAProxy refuses it' },
          ],
        },
      },
    });
  });

  it('gets few and short warnings, each once', async () => {
    const warnings = [
      'x'.repeat(1_000),
      'two\nlines',
      'same',
      'same',
      ...Array.from({ length: 30 }, (_, i) => `w${i}`),
    ];
    answer = () => Promise.resolve({ kind: 'allowed', warnings, scope: 'none' });
    const given = (await post(review())).body.response?.['warnings'] as string[];
    expect(given.length).toBe(16);
    expect(given[0]).toHaveLength(256);
    expect(given.slice(1, 4)).toEqual(['two lines', 'same', 'w0']);
  });

  it('names what a server is still to name', async () => {
    await post(review({ name: '', object: { ...ingress, metadata: { generateName: 'web-' } } }));
    expect(asked[0]?.name).toBe('web-xxxxx');
  });

  it.each([
    ['no JSON', '{', 'the body is no JSON'],
    ['a list', '[]', 'the body must be an AdmissionReview object'],
    ['another kind', { ...review(), kind: 'Pod' }, 'kind must be AdmissionReview, not "Pod"'],
    [
      'an old version',
      { ...review(), apiVersion: 'admission.k8s.io/v1beta1' },
      'apiVersion must be admission.k8s.io/v1, not "admission.k8s.io/v1beta1": set admissionReviewVersions: [v1]',
    ],
    ['no request', { ...review(), request: null }, 'request is missing or not an object'],
    ['no uid', review({ uid: '' }), 'request.uid is missing'],
    ['a uid that is none', review({ uid: 1 }), 'request.uid must be a string, not of type number'],
    ['no kind', review({ kind: 'Ingress' }), 'request.kind is missing or not an object'],
    [
      'no resource',
      review({ resource: { group: '', version: 'v1' } }),
      'request.resource.resource is missing',
    ],
    [
      'another operation',
      review({ operation: 'CONNECT' }),
      'request.operation must be one of CREATE, UPDATE, DELETE',
    ],
    ['no object', review({ object: null }), 'request.object is missing'],
    ['an object that is none', review({ object: 'x' }), 'request.object must be an object'],
    ['no old object', review({ operation: 'DELETE', object: null }), 'request.oldObject is missing'],
    [
      'no metadata',
      review({ object: { kind: 'Ingress' } }),
      'request.object.metadata is missing or not an object',
    ],
    ['no name', review({ name: '', object: { metadata: {} } }), 'request.name is missing'],
  ])('that is broken is refused by name: %s', async (_what, body, words) => {
    const { status, body: said } = await post(body);
    expect(status).toBe(400);
    expect(said).toMatchObject({ kind: 'Status', status: 'Failure', code: 400 });
    expect(said.message).toContain(words);
    expect(asked).toEqual([]);
    expect(await metric('haptic_webhook_requests_total', { result: 'invalid' })).toBe(1);
  });
});

describe('anything else', () => {
  it.each([
    ['another type', '{}', { type: 'application/yaml' }, 415, 'the content type must be application/json'],
    [
      'a large body',
      JSON.stringify(review({ x: 'y'.repeat(70_000) })),
      {},
      413,
      'the body is larger than 65536 bytes',
    ],
    ['another path', '{}', { url: '/mutate' }, 404, 'send AdmissionReviews to POST /validate'],
    ['another method', '', { method: 'GET' }, 404, 'send AdmissionReviews to POST /validate'],
  ])('is refused: %s', async (_what, body, options, status, words) => {
    const refused = await post(body, options);
    expect(refused.status).toBe(status);
    expect(refused.body.message).toContain(words);
    expect(asked).toEqual([]);
  });

  it('is healthy over HTTPS', async () => {
    expect(await post('', { url: '/healthz', method: 'GET' })).toEqual({
      status: 200,
      body: { status: 'ok' },
    });
  });
});

/** The answer to a request whose body never comes, and whether the connection ends then. */
function announce(headers: Readonly<Record<string, string>>, url = '/validate') {
  const { port } = server.server.address() as AddressInfo;
  const given = { host: '127.0.0.1', servername: 'localhost', port, ca, agent: false } as const;
  return new Promise<{ readonly status: number; readonly connection: string }>((resolve, reject) => {
    const request = https.request({ ...given, path: url, method: 'POST', headers }, (response) => {
      resolve({ status: response.statusCode ?? 0, connection: response.headers.connection ?? '' });
      request.destroy();
    });
    request.on('error', reject);
    request.flushHeaders();
  });
}

describe('a body that is not wanted', () => {
  const json = { 'content-type': 'application/json' };

  it.each([
    ['for another path', { ...json, 'content-length': '1000' }, '/mutate', 404],
    ['of another type', { 'content-type': 'text/plain', 'content-length': '1000' }, '/validate', 415],
    ['that is too large', { ...json, 'content-length': '1000000' }, '/validate', 413],
  ])('is not waited for: %s', async (_what, headers, url, status) => {
    expect(await announce(headers, url)).toEqual({ status, connection: 'close' });
  });

  it('is refused for the values in it, too', async () => {
    const { status, body } = await post(
      JSON.stringify(review({ x: Array.from({ length: 2_000 }, () => 1) })),
    );
    expect({ status, message: body.message }).toEqual({
      status: 413,
      message: 'haptic webhook: the body is of more than 1000 values',
    });
  });

  it('is turned away as long as others take all the memory', async () => {
    const verdict = Promise.withResolvers<Admission>();
    answer = () => verdict.promise;
    const large = review({ x: 'y'.repeat(60_000) });
    const first = post(large);
    await expect.poll(() => asked.length).toBe(1);
    const { status, body } = await post(large);
    expect({ status, message: body.message }).toEqual({
      status: 503,
      message: 'haptic webhook: other requests take all the memory that there is for them',
    });
    verdict.resolve({ kind: 'allowed', warnings: [], scope: 'none' });
    expect((await first).status).toBe(200);
    expect((await post(large)).status).toBe(200);
  });
});

describe('connections', () => {
  const connected = async () => {
    const { port } = server.server.address() as AddressInfo;
    const socket = tls.connect({ host: '127.0.0.1', servername: 'localhost', port, ca });
    let text = '';
    socket.on('data', (chunk) => (text += String(chunk)));
    socket.on('error', () => undefined);
    const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
    await once(socket, 'secureConnect');
    return { socket, closed };
  };
  const head = (size: number) =>
    `POST /validate HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${size}\r\n\r\n`;

  it('that say nothing, or say it slowly, make room for others: those first that do so for longest', async () => {
    const silent = await connected();
    const slow = await connected();
    slow.socket.write(`${head(100)}{`);
    const verdict = Promise.withResolvers<Admission>();
    answer = () => verdict.promise;
    const under = post(review());
    await expect.poll(() => asked.length).toBe(1);
    const others = await Promise.all(Array.from({ length: 7 }, connected));
    expect(await Promise.all([silent.closed, slow.closed])).toEqual(['', '']);
    verdict.resolve({ kind: 'allowed', warnings: [], scope: 'none' });
    expect((await under).status).toBe(200);
    expect((await post(review())).status).toBe(200);
    for (const { socket } of others) socket.destroy();
  });

  it('that are broken off before a word was said, or in the middle of the first, harm nobody', async () => {
    const { port } = server.server.address() as AddressInfo;
    for (const words of ['', '\u0016\u0003\u0001', 'GET / HTTP/1.1\r\n\r\n']) {
      const socket = net.connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      if (words !== '') await new Promise((resolve) => socket.write(words, resolve));
      socket.resetAndDestroy();
    }
    expect((await post(review())).status).toBe(200);
  });

  it('end where a request comes before the one before it was answered', async () => {
    const verdict = Promise.withResolvers<Admission>();
    answer = () => verdict.promise;
    const { socket, closed } = await connected();
    const text = JSON.stringify(review());
    socket.write((head(text.length) + text).repeat(3));
    expect(await closed).toBe('');
    expect(asked.length).toBeLessThanOrEqual(1);
    answer = () => Promise.resolve({ kind: 'allowed', warnings: [], scope: 'none' });
    expect((await post(review())).status).toBe(200);
  });
});

describe('what cannot be answered', () => {
  it('ends when whoever asked is gone, and makes room', async () => {
    let given: AbortSignal | undefined;
    answer = (_request, signal) => {
      given = signal;
      return new Promise(() => undefined);
    };
    const { port } = server.server.address() as AddressInfo;
    const asking = https.request({
      host: '127.0.0.1',
      servername: 'localhost',
      port,
      ca,
      agent: false,
      path: '/validate?timeout=30s',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
    });
    asking.on('error', () => undefined);
    asking.end(JSON.stringify(review()));
    await expect.poll(() => asked.length).toBe(1);
    asking.destroy();
    await expect.poll(() => given?.aborted).toBe(true);
    answer = () => Promise.resolve({ kind: 'allowed', warnings: [], scope: 'none' });
    expect((await post(review())).status).toBe(200);
  });

  it('is left to the failure policy', async () => {
    answer = () => Promise.resolve({ kind: 'unknown', message: 'nothing yet' });
    expect(await post(review())).toMatchObject({
      status: 503,
      body: { message: 'haptic webhook: nothing yet' },
    });
    answer = () => Promise.resolve({ kind: 'unwatched', message: 'not watched' });
    expect(await post(review())).toMatchObject({
      status: 404,
      body: { message: 'haptic webhook: not watched' },
    });
    expect(await metric('haptic_webhook_validation_total', { result: 'unregistered' })).toBe(1);
  });

  it('is not begun where reading it took all the time that the API server waits', async () => {
    let at = 0;
    clock = () => (at += 1_000);
    const { status, body } = await post(review(), { url: '/validate?timeout=1s' });
    expect({ status, message: body.message }).toEqual({
      status: 503,
      message: 'haptic webhook: it took all its time to come',
    });
    expect(asked).toEqual([]);
  });

  it('ends when the API server no longer waits', async () => {
    let given: AbortSignal | undefined;
    answer = (_request, signal) => {
      given = signal;
      return new Promise(() => undefined);
    };
    const { status, body } = await post(review(), { url: '/validate?timeout=1s' });
    expect(status).toBe(503);
    expect(body.message).toMatch(
      /^haptic webhook: no answer within \d+ ms, waiting for other requests included$/,
    );
    expect(given?.aborted).toBe(true);
  });

  it('is turned away at once when too many wait', async () => {
    const release: (() => void)[] = [];
    answer = () =>
      new Promise((resolve) => release.push(() => resolve({ kind: 'allowed', warnings: [], scope: 'none' })));
    const first = post(review());
    await expect.poll(() => asked.length).toBe(1);
    const second = post(review());
    await expect.poll(() => metric('haptic_webhook_requests_waiting', {})).toBe(1);
    expect(await post(review())).toMatchObject({
      status: 503,
      body: { message: expect.stringContaining('waiting already') as unknown },
    });
    release[0]?.();
    expect((await first).status).toBe(200);
    await expect.poll(() => release.length).toBe(2);
    release[1]?.();
    expect((await second).status).toBe(200);
  });

  it('says nothing of what went wrong inside', async () => {
    answer = () => Promise.reject(new TypeError('secret words'));
    const { status, body } = await post(review());
    expect(status).toBe(500);
    expect(JSON.stringify(body)).not.toContain('secret');
  });
});

describe('its certificate', () => {
  it('is exchanged without a restart, and the former authority is believed for a while', async () => {
    expect((await post(review())).status).toBe(200);
    await renewCertificates({ store: folderStore(dir), policy, now: Date.now, force: true });
    // By those who know only the former authority, as an API server before its configuration is written anew.
    expect((await post(review())).status).toBe(200);
    ca = await readFile(path.join(dir, 'server', 'ca.crt'), 'utf8');
    expect((await post(review())).status).toBe(200);
    expect(await metric('haptic_webhook_cert_rotations_total', {})).toBe(1);
    expect(await metric('haptic_webhook_cert_expiry_timestamp_seconds', {})).toBeGreaterThan(
      Date.now() / 1000,
    );
  });
});
