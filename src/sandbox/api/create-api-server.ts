import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:https';
import { registerCustomKinds } from './crd/register-custom-kinds.ts';
import { createApiClient } from './api-client.ts';
import { createApiContext, type ApiContext } from './api-context.ts';
import type { ApiFaults, ApiServer, ApiServerOptions } from './api-server.ts';
import { apiError } from './api-status.ts';
import { builtinTypes } from './builtin/builtin-types.ts';
import { createFaultBook, matchesFault, type FaultBook, type FaultMatch } from './faults.ts';
import { formatKubeconfig } from './kubeconfig.ts';
import { createPageKeeper, type PageKeeper } from './list-objects.ts';
import { createOpenApi } from './open-api.ts';
import { createRegistry } from './registry.ts';
import { apiVersionOf } from './resource-type.ts';
import { serveRequest, type RequestServer } from './serve-request.ts';
import { errorLine, type OpenWatch } from './serve-watch.ts';
import { startSystemControllers } from './system-controllers.ts';
import { createTlsMaterial } from './tls-material.ts';

/**
 * An in-memory Kubernetes API on loopback, over HTTPS with its own authority, for the sandbox, for tests and for
 * benches. Nothing is written to disk; all is gone with the process.
 *
 * - Kinds: those an ingress controller and its users touch (see `builtin/`), and CRDs registered at run time with
 *   structural schemas, defaulting and pruning. CEL rules (`x-kubernetes-validations`) are kept and not evaluated.
 * - Objects are immutable and shared: a write makes a new version, stores it, and hands it to every watcher within the
 *   same tick, with its JSON made once per version. A write costs the same among 10,000 objects as among ten.
 * - One counter gives all resource versions. Each kind remembers a window of changes to resume from; older is a 410.
 * - `client` is the same API without HTTP; `faults` makes the server misbehave.
 * - Nobody is kept out: whoever has the client certificate or the token may do everything, and access reviews say so.
 * - Unlike a real server it accepts loopback addresses in EndpointSlices, and has no admission plugins, no quotas, no
 *   conversion webhooks and no protobuf.
 */
export async function createApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const now = options.now ?? (() => new Date());
  const tls = await createTlsMaterial(now());
  const faultBook = createFaultBook();
  const rules = { allowInvalid: false };
  const registry = createRegistry(builtinTypes());
  const context = createApiContext(registry, {
    now,
    historySize: options.historySize ?? 4096,
    gracefulPods: options.gracefulPods ?? false,
    allowInvalid: () => rules.allowInvalid,
  });
  startSystemControllers(context);
  registerCustomKinds(context);
  const client = createApiClient(context);
  client.createMany(defaultNamespaces).subscribe({ error: failStart });
  const token = options.token ?? randomUUID();
  const control: { faults?: ApiFaults } = {};
  const requestServer: RequestServer = {
    context,
    pages: createPageKeeper(),
    watches: new Set(),
    bookmarkIntervalMs: options.bookmarkIntervalMs ?? 60_000,
    faultBook,
    faults: () => control.faults,
    openApi: createOpenApi(registry),
    token,
  };
  const server = createServer(
    {
      key: tls.serverKey,
      cert: tls.serverCert,
      ca: tls.caCert,
      requestCert: true,
      rejectUnauthorized: false,
      noDelay: true,
      requestTimeout: 0,
      keepAliveTimeout: 90_000,
    },
    (request, response) => {
      void serveRequest(requestServer, request, response);
    },
  );
  const port = await listen(server, options.port ?? 0);
  const faults = createFaults(
    server,
    port,
    context,
    requestServer.pages,
    requestServer.watches,
    faultBook,
    rules,
  );
  control.faults = faults;
  const url = `https://127.0.0.1:${port}`;
  return {
    url,
    port,
    caCert: tls.caCert,
    token,
    kubeconfig: () => formatKubeconfig(url, tls),
    client,
    faults,
    close: () => stop(server),
  };
}

const defaultNamespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system'].map((name) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name },
}));

function failStart(error: unknown): void {
  throw error;
}

function createFaults(
  server: Server,
  port: number,
  context: ApiContext,
  pages: PageKeeper,
  watches: ReadonlySet<OpenWatch>,
  book: FaultBook,
  rules: { allowInvalid: boolean },
): ApiFaults {
  const matching = (match: FaultMatch = {}) =>
    [...watches].filter((watch) => matchesFault(match, watch.subject));
  return {
    get allowInvalid() {
      return rules.allowInvalid;
    },
    set allowInvalid(value) {
      rules.allowInvalid = value;
    },
    inject: book.inject,
    list: book.list,
    clear: () => {
      book.clear();
      rules.allowInvalid = false;
    },
    compact: (resource) => {
      pages.expire();
      if (resource === undefined) {
        for (const storage of context.storages()) storage.compact();
        return;
      }
      const type = context.registry.all().find((one) => `${apiVersionOf(one)}/${one.plural}` === resource);
      if (type === undefined) throw apiError(404, `the server could not find the resource ${resource}`);
      context.storageOf(type).compact();
    },
    openWatches: (match) => matching(match).length,
    cutWatches: (match) => {
      for (const { response } of matching(match)) response.cut('{"type":"MODIFIED","object":{"kind":"');
    },
    silenceWatches: (match) => {
      for (const { response } of matching(match)) response.silence();
    },
    failWatches: (code, match) => {
      for (const { response } of matching(match)) {
        response.send(errorLine(code));
        response.end();
      }
    },
    endWatches: (match) => {
      for (const { response } of matching(match)) response.end();
    },
    closeConnections: () => server.closeAllConnections(),
    stopListening: () => stop(server),
    resumeListening: async () => {
      await listen(server, port);
    },
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    // Also those that were taken from the backlog while the others were closed.
    const again = setInterval(() => server.closeAllConnections(), 100);
    server.close(() => {
      clearInterval(again);
      resolve();
    });
    server.closeAllConnections();
  });
}
