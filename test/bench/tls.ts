import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { type IssuedCertificate, issueCertificate } from '../fixtures/certificates.ts';
import { controllerProcesses } from './lib/controller-processes.ts';
import { clusterClient } from './lib/cluster-client.ts';
import { findLines } from './lib/find-lines.ts';
import { reloadsOf } from './lib/haproxy-socket.ts';
import { endpointSliceOf, ingressOf, type RouteSpec, serviceOf } from './lib/route-objects.ts';
import { startSandboxProcess } from './lib/sandbox-process.ts';
import { mean, percentile, rounded } from './lib/statistics.ts';

const routes = Number(process.env['HAPTIC_BENCH_ROUTES'] ?? 10_000);
const secrets = Number(process.env['HAPTIC_BENCH_SECRETS'] ?? 2_000);
const rotations = Number(process.env['HAPTIC_BENCH_PROBES'] ?? 60);
/** V8 begins to give memory back 8 s after the last collection of a start. */
const restSeconds = Number(process.env['HAPTIC_BENCH_WARM_UP'] ?? 30);
/** Between two handshakes: how exact a time is. Without a pause they would take a processor from what is measured. */
const pollMs = { coldStart: 25, change: 3 } as const;
const namespace = 'bench';
/** Nobody serves it until the bench says so. */
const className = 'bench';

/**
 * 10,000 Ingresses with TLS on 2,000 Secrets, through the API of a sandbox and a real HAProxy. `coldStart.ms`: from the start of a controller that knows nothing (`cpuMs`: what it computes until then),
 * with an empty HAProxy, until the last of the hosts is served with its own certificate; `rssMiB`: what it takes then, at rest. `rotation`: from the API's answer to a
 * changed Secret until a handshake shows the new certificate; `create`: the same for a new Secret with a new Ingress. `reloads` of both.
 */
export async function run(): Promise<object> {
  const [line] = findLines();
  if (line === undefined) throw new Error('no HAProxy');
  await using resources = new AsyncDisposableStack();
  const backend = await startBackend();
  resources.defer(backend.close);
  const sandbox = await startSandboxProcess(line.path);
  resources.defer(sandbox.stop);
  const cluster = clusterClient(sandbox.kubeconfigPath);
  resources.defer(() => cluster.transport.close());
  const shown = shownBy(sandbox.httpsPort);

  const certificates = await issueAll();
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const objects = function* (): Generator<KubeObject> {
    for (const [i, certificate] of certificates.entries()) yield secretOf(i, certificate);
    for (let i = 0; i < routes; i++) {
      const route = routeTo(i, backend.port);
      yield serviceOf(route);
      yield endpointSliceOf(route);
      yield withTls(ingressOf(route), i % secrets);
    }
  };
  const pending = objects();
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (const object of pending) await cluster.create(object);
    }),
  );
  process.stderr.write('  objects are there\n');

  const masterSocket = path.join(sandbox.baseDir, 'haproxy-master.sock');
  const [former] = await controllerProcesses(sandbox.kubeconfigPath);
  if (former === undefined) throw new Error('no controller');
  process.kill(former.pid, 'SIGKILL');
  await cluster.create({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IngressClass',
    metadata: { name: className },
    spec: { controller: 'haproxy-haptic.org/controller' },
  });
  const controller = await nextController(sandbox.kubeconfigPath, former.pid);
  const began = performance.now();
  const before = await reloadsOf(masterSocket);
  for (const i of [0, Math.floor(routes / 2), routes - 1])
    await until(
      `host ${i} is served`,
      300_000,
      async () => (await shown(hostOf(i))) === serialOf(certificates[i % secrets]),
      pollMs.coldStart,
    );
  const coldStartMs = performance.now() - began;
  // Of whatever the machine does besides.
  const cpuMs = rounded((await controller.cpuSeconds('process')) * 1_000, 0);
  process.stderr.write(
    `  served after ${rounded(coldStartMs, 0)} ms, ${cpuMs} ms of CPU of the controller\n`,
  );
  const coldStartReloads = (await reloadsOf(masterSocket)) - before;
  const served = await answeredBy(sandbox.httpsPort, hostOf(routes - 1));
  if (served !== 200) throw new Error(`the last host is answered with ${served}`);
  await sleep(restSeconds * 1_000);
  const rssMiB = await controller.rssMiB();
  process.stderr.write(`  ${rssMiB} MiB at rest\n`);

  const reloads = await reloadsOf(masterSocket);
  const rotation: number[] = [];
  for (let i = 0; i < rotations; i++) {
    const at = (i * 37) % secrets;
    const next = await issueCertificate({ names: [hostOf(at)] });
    await cluster.replace(secretOf(at, next));
    const changed = performance.now();
    await until(
      'the new certificate is shown',
      10_000,
      async () => (await shown(hostOf(at))) === next.serialNumber,
      pollMs.change,
    );
    rotation.push(performance.now() - changed);
  }
  const create: number[] = [];
  for (let i = 0; i < rotations; i++) {
    const next = await issueCertificate({ names: [hostOf(routes + i)] });
    const route = { ...routeTo(0, backend.port), name: `new-${i}`, host: hostOf(routes + i) };
    const ingress = withBackend(withTls(ingressOf(route), secrets + i), nameOf(0));
    await cluster.create(secretOf(secrets + i, next));
    await cluster.create(ingress);
    const changed = performance.now();
    await until(
      'the new host is served',
      10_000,
      async () => (await shown(route.host)) === next.serialNumber,
      pollMs.change,
    );
    create.push(performance.now() - changed);
  }
  return {
    routes,
    secrets,
    line: line.line,
    coldStart: { ms: rounded(coldStartMs, 0), cpuMs, reloads: coldStartReloads },
    rssMiB,
    rotation: summary(rotation),
    create: summary(create),
    reloads: (await reloadsOf(masterSocket)) - reloads,
  };
}

function summary(samples: readonly number[]) {
  return {
    ms: rounded(percentile(samples, 0.99)),
    meanMs: rounded(mean(samples)),
    p50Ms: rounded(percentile(samples, 0.5)),
    worstMs: rounded(Math.max(...samples)),
    samples: samples.length,
  };
}

const nameOf = (i: number): string => `app-${String(i).padStart(5, '0')}`;
const hostOf = (i: number): string => `app-${i}.example.com`;

function routeTo(i: number, port: number): RouteSpec {
  return {
    ...{ name: nameOf(i), namespace, host: hostOf(i), className, port },
    addresses: [`127.10.${(i >> 8) & 255}.${(i & 255) === 0 ? 1 : i & 255}`],
  };
}

function withTls(ingress: KubeObject, secret: number): KubeObject {
  const spec = ingress['spec'] as { readonly rules: readonly { readonly host: string }[] };
  const hosts = spec.rules.map(({ host }) => host);
  return { ...ingress, spec: { ...spec, tls: [{ hosts, secretName: `tls-${secret}` }] } };
}

/** The same to a Service that is there. */
function withBackend(ingress: KubeObject, service: string): KubeObject {
  const spec = ingress['spec'] as { readonly rules: readonly { readonly host: string }[] };
  const backend = { service: { name: service, port: { number: 80 } } };
  const rules = spec.rules.map(({ host }) => ({
    host,
    http: { paths: [{ path: '/', pathType: 'Prefix', backend }] },
  }));
  return { ...ingress, spec: { ...spec, rules } };
}

function secretOf(i: number, { cert, key }: IssuedCertificate): KubeObject {
  const coded = (text: string) => Buffer.from(text).toString('base64');
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `tls-${i}`, namespace },
    type: 'kubernetes.io/tls',
    data: { 'tls.crt': coded(cert), 'tls.key': coded(key) },
  };
}

async function issueAll(): Promise<readonly IssuedCertificate[]> {
  const issued: IssuedCertificate[] = [];
  for (let i = 0; i < secrets; i++) issued.push(await issueCertificate({ names: [hostOf(i)] }));
  return issued;
}

function serialOf(certificate: IssuedCertificate | undefined): string {
  return certificate?.serialNumber ?? '';
}

/** Serial number of the certificate that a client is shown; undefined: none. */
function shownBy(port: number): (servername: string) => Promise<string | undefined> {
  return async (servername) => {
    const socket = tls.connect({ host: '127.0.0.1', port, servername, rejectUnauthorized: false });
    try {
      await once(socket, 'secureConnect');
      return socket.getPeerX509Certificate()?.serialNumber;
    } catch {
      return undefined;
    } finally {
      socket.destroy();
    }
  };
}

async function answeredBy(port: number, servername: string): Promise<number> {
  const socket = tls.connect({ host: '127.0.0.1', port, servername, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  socket.write(`GET / HTTP/1.1\r\nhost: ${servername}\r\nconnection: close\r\n\r\n`);
  const [head] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return Number(/^HTTP\/1\.1 (\d+)/.exec(head.toString())?.[1]);
}

async function nextController(kubeconfigPath: string, not: number) {
  for (let attempt = 0; attempt < 3_000; attempt++) {
    const found = (await controllerProcesses(kubeconfigPath)).find(({ pid }) => pid !== not);
    if (found !== undefined) return found;
    await sleep(10);
  }
  throw new Error('no controller is started');
}

async function until(
  what: string,
  deadlineMs: number,
  check: () => Promise<boolean>,
  everyMs: number,
): Promise<void> {
  const end = performance.now() + deadlineMs;
  while (!(await check())) {
    if (performance.now() > end) throw new Error(`never happened: ${what}`);
    await sleep(everyMs);
  }
}

async function startBackend() {
  const server = http.createServer((_request, response) => response.end('ok\n'));
  server.listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
