import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Connection, KubeCredentials } from '../../../src/kube/credentials.ts';
import type { KubeResult } from '../../../src/kube/kube-failure.ts';
import {
  kubeTransport,
  type KubeRequest,
  type KubeResponse,
  type KubeTransport,
  type KubeTransportOptions,
} from '../../../src/kube/kube-transport.ts';
import { createTlsMaterial } from '../../../src/sandbox/api/tls-material.ts';
import {
  bodyOf,
  json,
  scriptedServer,
  type Handler,
  type ScriptedServer,
} from '../../fixtures/scripted-server.ts';

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function serve(...args: Parameters<typeof scriptedServer>): Promise<ScriptedServer> {
  const server = await scriptedServer(...args);
  cleanups.push(() => server.close());
  return server;
}

function connect(credentials: KubeCredentials, options: KubeTransportOptions = {}): KubeTransport {
  const transport = kubeTransport(credentials, options);
  cleanups.push(() => transport.close());
  return transport;
}

function credentialsFor(server: string, more: Partial<Connection> = {}): KubeCredentials {
  const connection: Connection = { server, headers: {}, tls: { skipVerify: false }, ...more };
  return { server, namespace: undefined, connection: () => Promise.resolve(connection), rebuild: vi.fn() };
}

async function textOf(result: KubeResult<KubeResponse>): Promise<string> {
  return result.ok ? await result.value.body.text() : `failed: ${JSON.stringify(result.failure)}`;
}

function failureOf(result: KubeResult<KubeResponse>) {
  return result.ok ? 'no failure' : result.failure;
}

describe('kubeTransport: requests', () => {
  it('go to the path below the server’s prefix, with the query that is defined and the credentials’ headers', async () => {
    const seen: unknown[] = [];
    const server = await serve((request, response) => {
      seen.push(request.headers['authorization'], request.headers['accept']);
      json(response, 200, {});
    });
    const transport = connect(
      credentialsFor(`${server.url}/k8s/c1`, { headers: { Authorization: 'Bearer t' } }),
    );
    const query = { limit: 500, labelSelector: 'a=b,c in (d)', continue: undefined, watch: true };
    expect(await textOf(await transport.request({ path: '/api/v1/pods', query }))).toBe('{}');
    expect(server.requests).toEqual([
      'GET /k8s/c1/api/v1/pods?limit=500&labelSelector=a%3Db%2Cc+in+%28d%29&watch=true',
    ]);
    expect(seen).toEqual(['Bearer t', 'application/json']);
  });

  it('carry a body as JSON, of the type that the caller says', async () => {
    const seen: unknown[] = [];
    const server = await serve((request, response) => {
      void bodyOf(request).then((body) => {
        seen.push([request.headers['content-type'], body]);
        json(response, 201, {});
      });
    });
    const transport = connect(credentialsFor(server.url));
    const request: KubeRequest = { method: 'POST', path: '/api/v1/pods', body: { ü: 1 } };
    const headers = { 'content-type': 'application/merge-patch+json' };
    for (const each of [request, { ...request, method: 'PATCH', headers } as const])
      expect(await textOf(await transport.request(each))).toBe('{}');
    expect(seen).toEqual([
      ['application/json', '{"ü":1}'],
      ['application/merge-patch+json', '{"ü":1}'],
    ]);
  });

  it('share connections (a second one at most, while the first is being given back)', async () => {
    const server = await serve((_, response) => json(response, 200, {}));
    const transport = connect(credentialsFor(server.url));
    for (let i = 0; i < 20; i++) await textOf(await transport.request({ path: '/api' }));
    expect(server.connections()).toBeLessThanOrEqual(2);
  });
});

describe('kubeTransport: failures are values', () => {
  it('an error status with what its Status object says', async () => {
    const server = await serve((_, response) =>
      json(
        response,
        429,
        { kind: 'Status', reason: 'TooManyRequests', message: 'slow down' },
        { 'retry-after': '7' },
      ),
    );
    expect(failureOf(await connect(credentialsFor(server.url)).request({ path: '/' }))).toEqual({
      kind: 'http',
      status: 429,
      reason: 'TooManyRequests',
      message: 'slow down',
      retryAfterMs: 7000,
    });
  });

  it('a Retry-After date counts from the injected clock', async () => {
    const at = 'Sun, 06 Nov 1994 08:49:37 GMT';
    const server = await serve((_, response) => json(response, 503, {}, { 'retry-after': at }));
    const transport = connect(credentialsFor(server.url), { now: () => Date.parse(at) - 4000 });
    expect(failureOf(await transport.request({ path: '/' }))).toMatchObject({
      status: 503,
      retryAfterMs: 4000,
    });
  });

  it('an error page that is no JSON, and one that breaks off', async () => {
    const server = await serve((request, response) => {
      if (request.url === '/html') {
        response.writeHead(502).end('<html>bad gateway</html>');
        return;
      }
      response.writeHead(500, { 'content-length': '1000' });
      response.write('half of');
      response.on('close', () => undefined);
      setImmediate(() => response.destroy());
    });
    const transport = connect(credentialsFor(server.url));
    expect(failureOf(await transport.request({ path: '/html' }))).toMatchObject({
      status: 502,
      message: '<html>bad gateway</html>',
    });
    expect(failureOf(await transport.request({ path: '/half' }))).toMatchObject({
      kind: 'http',
      status: 500,
    });
  });

  it('a refused connection', async () => {
    const server = await scriptedServer(() => undefined);
    await server.close();
    expect(failureOf(await connect(credentialsFor(server.url)).request({ path: '/' }))).toMatchObject({
      kind: 'network',
      code: 'ECONNREFUSED',
    });
  });

  it('an abort while the server has not answered, which closes the request', async () => {
    const controller = new AbortController();
    const closed = Promise.withResolvers<string>();
    const server = await serve((request) => {
      request.on('close', () => closed.resolve('closed'));
      controller.abort();
    });
    const transport = connect(credentialsFor(server.url));
    expect(failureOf(await transport.request({ path: '/', signal: controller.signal }))).toEqual({
      kind: 'aborted',
    });
    expect(await closed.promise).toBe('closed');
    expect(failureOf(await transport.request({ path: '/', signal: controller.signal }))).toEqual({
      kind: 'aborted',
    });
    expect(server.requests).toHaveLength(1);
  });

  it('a transport that was closed, whose running requests end and which opens no new connection', async () => {
    const asked = Promise.withResolvers<undefined>();
    const server = await serve(() => asked.resolve(undefined));
    const transport = connect(credentialsFor(server.url));
    const running = transport.request({ path: '/' });
    await asked.promise;
    await transport.close();
    expect(failureOf(await running)).toMatchObject({ kind: 'network', code: 'UND_ERR_DESTROYED' });
    expect(failureOf(await transport.request({ path: '/' }))).toEqual({ kind: 'aborted' });
    expect(server.connections()).toBe(1);
  });

  it('credentials that cannot be had', async () => {
    const credentials: KubeCredentials = {
      ...credentialsFor('http://127.0.0.1:1'),
      connection: () => Promise.reject(new Error('the exec plugin said no')),
    };
    expect(failureOf(await connect(credentials).request({ path: '/' }))).toEqual({
      kind: 'credentials',
      message: 'the exec plugin said no',
    });
  });

  it('a body that falls silent is cut after its time-out', async () => {
    const server = await serve((_, response) => {
      response.writeHead(200);
      response.write('begin');
    });
    const result = await connect(credentialsFor(server.url)).request({ path: '/', bodyTimeout: 50 });
    await expect(textOf(result)).rejects.toMatchObject({ code: 'UND_ERR_BODY_TIMEOUT' });
  });
});

describe('kubeTransport: 401', () => {
  const unauthorized: Handler = (_, response) =>
    json(response, 401, { reason: 'Unauthorized', message: 'who?' });

  /** Credentials whose token is `token-<number of rebuilds>`. */
  function rebuildable(server: string) {
    let rebuilds = 0;
    return {
      credentials: {
        server,
        namespace: undefined,
        connection: () =>
          Promise.resolve({
            server,
            headers: { Authorization: `token-${rebuilds}` },
            tls: { skipVerify: false },
          }),
        rebuild: () => {
          rebuilds += 1;
        },
      },
      rebuilds: () => rebuilds,
    };
  }

  it('rebuilds the credentials and tries once more', async () => {
    const server = await serve((request, response) => {
      if (request.headers['authorization'] === 'token-1') json(response, 200, { hello: 1 });
      else unauthorized(request, response);
    });
    const { credentials, rebuilds } = rebuildable(server.url);
    expect(await textOf(await connect(credentials).request({ path: '/' }))).toBe('{"hello":1}');
    expect(rebuilds()).toBe(1);
  });

  it('is the answer when it comes again', async () => {
    const server = await serve(unauthorized);
    const { credentials, rebuilds } = rebuildable(server.url);
    expect(failureOf(await connect(credentials).request({ path: '/' }))).toMatchObject({
      status: 401,
      message: 'who?',
    });
    expect(rebuilds()).toBe(1);
    expect(server.requests).toHaveLength(2);
  });

  it('of several requests at once rebuilds the credentials once', async () => {
    const waiting: (() => void)[] = [];
    const server = await serve((request, response) => {
      if (request.headers['authorization'] === 'token-1') {
        json(response, 200, {});
        return;
      }
      waiting.push(() => unauthorized(request, response));
      if (waiting.length === 3) for (const answer of waiting) answer();
    });
    const { credentials, rebuilds } = rebuildable(server.url);
    const transport = connect(credentials);
    const answers = await Promise.all(['/a', '/b', '/c'].map((path) => transport.request({ path })));
    expect(await Promise.all(answers.map(textOf))).toEqual(['{}', '{}', '{}']);
    expect(rebuilds()).toBe(1);
  });

  it('says so when the credentials cannot be rebuilt', async () => {
    const server = await serve(unauthorized);
    const credentials: KubeCredentials = {
      ...credentialsFor(server.url),
      rebuild: () => {
        throw new Error('kubeconfig not found');
      },
    };
    expect(failureOf(await connect(credentials).request({ path: '/' }))).toEqual({
      kind: 'credentials',
      message: 'kubeconfig not found',
    });
  });
});

describe('kubeTransport: TLS', () => {
  it('verifies the server, shows the client certificate, and opens a new pool only for other material', async () => {
    const pem = await createTlsMaterial(new Date());
    const subjects: unknown[] = [];
    const server = await serve(
      (request, response) => {
        const { socket } = request as unknown as {
          socket: { getPeerCertificate(): { subject?: { CN?: string } } };
        };
        subjects.push(socket.getPeerCertificate().subject?.CN);
        json(response, 200, {});
      },
      {
        key: pem.serverKey,
        cert: pem.serverCert,
        ca: pem.caCert,
        requestCert: true,
        rejectUnauthorized: false,
      },
    );
    let tls: Connection['tls'] = { ca: pem.caCert, skipVerify: false };
    const transport = connect({
      ...credentialsFor(server.url),
      connection: () => Promise.resolve({ server: server.url, headers: {}, tls: { ...tls } }),
    });
    const ask = async (): Promise<string> => textOf(await transport.request({ path: '/' }));

    for (let i = 0; i < 5; i++) expect(await ask()).toBe('{}');
    expect(server.connections()).toBeLessThanOrEqual(2);
    expect(subjects.splice(0)).toEqual([undefined, undefined, undefined, undefined, undefined]);
    tls = { ...tls, cert: pem.clientCert, key: pem.clientKey };
    expect([await ask(), await ask()]).toEqual(['{}', '{}']);
    expect(subjects).toEqual(['sandbox-admin', 'sandbox-admin']);
    tls = { ca: pem.caCert, servername: 'kubernetes.default.svc', skipVerify: false };
    expect(await ask()).toBe('{}');
    tls = { ca: pem.caCert, servername: 'elsewhere.test', skipVerify: false };
    expect(await ask()).toContain('ERR_TLS_CERT_ALTNAME_INVALID');
    tls = { skipVerify: false };
    expect(await ask()).toMatch(/"code":"(UNABLE_TO_VERIFY|SELF_SIGNED)/);
    tls = { skipVerify: true };
    expect(await ask()).toBe('{}');
  });
});
