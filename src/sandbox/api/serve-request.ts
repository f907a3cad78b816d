import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiFaults } from './api-server.ts';
import { apiError, apiStatus, statusOf } from './api-status.ts';
import { discover } from './discovery.ts';
import type { FaultAction, FaultBook, FaultSubject } from './faults.ts';
import type { OpenApi } from './open-api.ts';
import { parseResourcePath, type ResourcePath } from './request-path.ts';
import { sendJson, sendStatus, sendText } from './send-response.ts';
import { faultsPath, serveFaults } from './serve-faults.ts';
import { serveResource, type ResourceServer } from './serve-resource.ts';

export interface RequestServer extends ResourceServer {
  readonly faultBook: FaultBook;
  /** Undefined until the server listens. */
  readonly faults: () => ApiFaults | undefined;
  readonly openApi: OpenApi;
  readonly token: string;
}

const version = {
  major: '1',
  minor: '32',
  gitVersion: 'v1.32.0+haptic-sandbox',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: `node ${process.versions.node}`,
  compiler: 'v8',
  platform: `${process.platform}/${process.arch}`,
};

/** Answers one HTTP request: who asks, does a fault strike, what is asked. Never throws. */
export async function serveRequest(
  server: RequestServer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'https://localhost');
    const path = parseResourcePath(pathname);
    const subject = subjectOf(request, path, searchParams);
    const user = userOf(server, request);
    const control = pathname === faultsPath && user !== undefined ? server.faults() : undefined;
    if (control !== undefined) {
      await serveFaults(control, request, response);
      return;
    }
    const faults = server.faultBook.hits(subject);
    if (user === undefined && !isPublic(pathname)) throw apiError(401, 'Unauthorized');
    if (faults.length > 0 && !(await passesFaults(faults, subject, request, response))) return;
    if (path !== undefined) {
      await serveResource(server, {
        request,
        response,
        path,
        query: searchParams,
        user: user ?? '',
        subject,
        faults,
      });
      return;
    }
    serveInformation(server, request, response, pathname);
  } catch (error) {
    sendStatus(response, statusOf(error));
  }
}

function serveInformation(
  server: RequestServer,
  request: IncomingMessage,
  response: ServerResponse,
  pathname: string,
): void {
  if (pathname === '/version') {
    sendJson(response, 200, version);
    return;
  }
  if (['/healthz', '/livez', '/readyz'].includes(pathname)) {
    response.writeHead(200, { 'content-type': 'text/plain' }).end('ok');
    return;
  }
  const { registry } = server.context;
  if (
    pathname === '/api' ||
    pathname.startsWith('/api/') ||
    pathname === '/apis' ||
    pathname.startsWith('/apis/')
  ) {
    const accept = request.headers.accept ?? '';
    const aggregated =
      accept.includes('g=apidiscovery.k8s.io;v=v2;') || accept.endsWith('g=apidiscovery.k8s.io;v=v2');
    const document = discover(registry, pathname, aggregated);
    if (document === undefined)
      throw apiError(404, 'the server could not find the requested resource', { details: {} });
    const root = pathname.split('/').filter((part) => part !== '').length === 1;
    if (aggregated && root) {
      response.setHeader(
        'content-type',
        'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
      );
      response.end(JSON.stringify(document));
    } else sendJson(response, 200, document);
    return;
  }
  // kubectl asks for it where a file has a List, and passes over what it does not describe; fields are checked when objects are written. No bytes are an empty document.
  if (pathname === '/openapi/v2') {
    response.setHeader('content-type', 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf');
    response.end();
    return;
  }
  const text = pathname.startsWith('/openapi/v3') ? server.openApi.document(pathname) : undefined;
  if (text === undefined)
    throw apiError(404, 'the server could not find the requested resource', { details: {} });
  sendText(response, 200, text);
}

/** Lets the request through, late or not at all. */
async function passesFaults(
  faults: readonly FaultAction[],
  subject: FaultSubject,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  for (const fault of faults) {
    if (fault.kind === 'delay') await sleep(fault.ms);
    if (fault.kind === 'silence' && !subject.watch) return false;
    if (fault.kind === 'reset') {
      request.socket.destroy();
      return false;
    }
    if (fault.kind === 'status') {
      const { code, retryAfterSeconds } = fault;
      const details = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
      request.resume();
      sendStatus(response, apiStatus(code, fault.message ?? `fault: ${code}`, { details }));
      return false;
    }
  }
  return true;
}

/** The name the request is made under: by client certificate or by bearer token; `undefined` for neither. */
function userOf(server: RequestServer, request: IncomingMessage): string | undefined {
  if ('authorized' in request.socket && request.socket.authorized === true) return 'sandbox-admin';
  const sent = Buffer.from(/^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '');
  const token = Buffer.from(server.token);
  return sent.length === token.length && timingSafeEqual(sent, token) ? 'sandbox-admin' : undefined;
}

function isPublic(pathname: string): boolean {
  return ['/healthz', '/livez', '/readyz', '/version'].includes(pathname);
}

function subjectOf(
  request: IncomingMessage,
  path: ResourcePath | undefined,
  query: URLSearchParams,
): FaultSubject {
  const watch = query.get('watch');
  return {
    method: request.method ?? 'GET',
    resource: path?.plural ?? '',
    namespace: path?.namespace ?? '',
    name: path?.name ?? '',
    subresource: path?.subresource ?? '',
    watch: watch === 'true' || watch === '1',
    userAgent: request.headers['user-agent'] ?? '',
  };
}
