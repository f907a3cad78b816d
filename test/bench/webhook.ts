import { mkdtemp, rm } from 'node:fs/promises';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pino from 'pino';
import { filter, firstValueFrom, Subscription } from 'rxjs';
import { Registry } from 'prom-client';
import { defaultPolicy } from '../../src/certificates/certificate-policy.ts';
import { folderStore } from '../../src/certificates/folder-store.ts';
import { renewCertificates } from '../../src/certificates/renew-certificates.ts';
import { readConfig } from '../../src/cli/read-config.ts';
import { librariesPath } from '../../src/cli/libraries-path.ts';
import { startController } from '../../src/cli/start-controller.ts';
import { checkRootsIn } from '../../src/gate/check-root.ts';
import { createGate, defaultGateLimits } from '../../src/gate/create-gate.ts';
import { runProcess } from '../../src/gate/run-process.ts';
import { followTlsFolder } from '../../src/lib/tls/tls-folder.ts';
import { capabilitiesOf } from '../../src/plan/capabilities.ts';
import type { Bundle } from '../../src/protocol/bundle.ts';
import type { Plan } from '../../src/protocol/plan.ts';
import { parseAdmissionReview } from '../../src/webhook/parse-admission-review.ts';
import { createAdmission } from '../../src/webhook/create-admission.ts';
import { createAdmissionQueue } from '../../src/webhook/admission-queue.ts';
import { buildWebhookServer } from '../../src/webhook/build-webhook-server.ts';
import { standInCertificate } from '../../src/webhook/stand-in-certificate.ts';
import { createWebhookMetrics } from '../../src/webhook/webhook-metrics.ts';
import type { ControllerPart, ControllerRuntime } from '../../src/world/controller-runtime.ts';
import { acceptingAgent } from './lib/accepting-agent.ts';
import { findLines } from './lib/find-lines.ts';
import {
  endpointSliceOf,
  haproxyPod,
  ingressClass,
  ingressOf,
  routeOf,
  serviceOf,
} from './lib/route-objects.ts';
import { scriptedApi } from './lib/scripted-api.ts';
import { percentile, rounded } from './lib/statistics.ts';

const sizes = (process.env['HAPTIC_BENCH_ROUTES'] ?? '1000,5000').split(',').map(Number);
const alone = 200;
const together = 400;
const atOnce = 8;
const warmUp = 60;
const formless = 30;

/**
 * One new Ingress admitted while 1,000 and 5,000 are there: over HTTPS, from the request's bytes to the answer's, one after another (p50) and
 * eight at a time (p99), with HAProxy's own check: one for the form of the backends, after which it is known; `reducedMs` is what it takes
 * where it is not. For comparison the check of the whole configuration by the same HAProxy. The
 * controller is the whole one; only its API server and its agent are scripts.
 */
export async function run(): Promise<object> {
  const results: Record<string, unknown> = {};
  for (const size of sizes) results[`routes${size}`] = await measure(size);
  return results;
}

async function measure(size: number) {
  const haproxy = findLines()[0]?.path ?? 'haproxy';
  const routes = Array.from({ length: size }, (_, i) => routeOf(i));
  // As usual, Service and endpoints are there before the Ingress.
  const coming = Array.from({ length: warmUp + alone + together + formless }, (_, i) => routeOf(size + i));
  const api = scriptedApi({
    ingressclasses: [ingressClass],
    ingresses: routes.map(ingressOf),
    services: [...routes, ...coming].map(serviceOf),
    endpointslices: [...routes, ...coming].map(endpointSliceOf),
    pods: [haproxyPod('10.255.0.1', 0)],
  });
  await using resources = new AsyncDisposableStack();
  const folder = await mkdtemp(path.join(tmpdir(), 'haptic-bench-webhook-'));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  await renewCertificates({
    store: folderStore(path.join(folder, 'tls')),
    policy: { ...defaultPolicy, serverName: 'localhost' },
    now: Date.now,
  });
  const gate = createGate({
    haproxy,
    withRoot: checkRootsIn(folder),
    run: runProcess,
    limits: { ...defaultGateLimits, remembered: 1 },
  });
  const standIn = await standInCertificate(Date.now());
  const { operations: _operations, ...capabilities } = capabilitiesOf({ version: '3.4.0' }, []);
  const found = Promise.withResolvers<ControllerRuntime>();
  const part: ControllerPart = (runtime) => {
    found.resolve(runtime);
    return new Subscription();
  };
  const controller = startController({
    config: await readConfig(librariesPath(import.meta.url), []),
    transport: api.transport,
    client: acceptingAgent(),
    check: (plan) => gate.check(plan),
    capabilities,
    watchTimeoutSeconds: 290,
    parts: [part],
    log: pino({ level: 'silent' }),
    onFatal: (error) => {
      throw error;
    },
  });
  resources.defer(() => controller.stop());
  const runtime = await found.promise;
  let accepted: Bundle | undefined;
  const watching = runtime.pipeline.latch$.subscribe((state) => (accepted = state.accepted));
  resources.defer(() => watching.unsubscribe());
  await firstValueFrom(
    runtime.pipeline.latch$.pipe(filter((state) => (state.accepted?.plan.backends.size ?? 0) >= size)),
  );

  const concurrent = Number(process.env['HAPTIC_BENCH_CONCURRENT'] ?? 1);
  const tls = followTlsFolder(path.join(folder, 'tls', 'server'));
  const registry = new Registry();
  const metrics = createWebhookMetrics(registry);
  const admission = () =>
    createAdmission({
      current: runtime.current,
      accepted: () => accepted,
      haproxy,
      withRoot: checkRootsIn(folder),
      run: runProcess,
      namespaceLabels: () => Promise.resolve(undefined),
      standIn,
    });
  const server = buildWebhookServer({
    admit: admission(),
    isKnown: () => true,
    queue: createAdmissionQueue({ concurrent, waiting: 64 }),
    identity: tls,
    metrics,
    log: pino({ level: 'silent' }),
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  resources.defer(() => server.close());
  const { port } = server.server.address() as AddressInfo;
  const agent = new https.Agent({ keepAlive: true, maxSockets: atOnce, ca: tls.current().trust.map(String) });
  resources.defer(() => agent.destroy());

  let next = size;
  const admitOne = async (): Promise<number> => {
    const body = JSON.stringify(reviewOf(next++));
    const begun = performance.now();
    const answer = await post(agent, port, body);
    const took = performance.now() - begun;
    if (!answer.includes('"allowed":true')) throw new Error(`not admitted: ${answer}`);
    return took;
  };
  for (let i = 0; i < warmUp; i++) await admitOne();
  const single: number[] = [];
  for (let i = 0; i < alone; i++) single.push(await admitOne());
  const crowd: number[] = [];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let i = 0; i < together / atOnce; i++) crowd.push(await admitOne());
    }),
  );
  // What the first object of each form costs: nothing is remembered.
  const first: number[] = [];
  for (let i = 0; i < formless; i++) {
    const admit = admission();
    const begun = performance.now();
    const { kind } = await admit(parseAdmissionReview(reviewOf(next++)), new AbortController().signal);
    first.push(performance.now() - begun);
    if (kind !== 'allowed') throw new Error(`not admitted: ${kind}`);
  }
  const whole = accepted?.plan;
  const checks = await metrics.checks.get();
  return {
    p50Ms: rounded(percentile(single, 0.5)),
    p99Ms: rounded(percentile(crowd, 0.99)),
    alone: quantiles(single),
    eightAtOnce: quantiles(crowd),
    reducedMs: rounded(percentile(first, 0.5)),
    wholeCheckMs: whole === undefined ? 0 : await wholeCheckMs(haproxy, folder, whole),
    checks: Object.fromEntries(checks.values.map(({ labels, value }) => [labels.scope ?? '', value])),
  };
}

/** What each would take if HAProxy were asked about everything. */
async function wholeCheckMs(haproxy: string, folder: string, plan: Plan): Promise<number> {
  const samples: number[] = [];
  for (let i = 0; i < 7; i++) {
    const gate = createGate({
      haproxy,
      withRoot: checkRootsIn(folder),
      run: (command, args, options) => runProcess(command, args, { ...options, isUrgent: true }),
      limits: defaultGateLimits,
    });
    const begun = performance.now();
    await firstValueFrom(gate.check(plan));
    samples.push(performance.now() - begun);
  }
  return rounded(percentile(samples, 0.5));
}

function quantiles(samples: readonly number[]) {
  return {
    p50Ms: rounded(percentile(samples, 0.5)),
    p90Ms: rounded(percentile(samples, 0.9)),
    p99Ms: rounded(percentile(samples, 0.99)),
    maxMs: rounded(Math.max(...samples)),
  };
}

/** As an API server asks about a new Ingress whose Service is there. */
function reviewOf(i: number): object {
  const route = routeOf(i);
  const object = {
    ...ingressOf(route),
    metadata: {
      name: route.name,
      namespace: route.namespace,
      uid: `u${i}`,
      creationTimestamp: new Date().toISOString(),
    },
  };
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: `00000000-0000-0000-0000-${String(i).padStart(12, '0')}`,
      kind: { group: 'networking.k8s.io', version: 'v1', kind: 'Ingress' },
      resource: { group: 'networking.k8s.io', version: 'v1', resource: 'ingresses' },
      name: route.name,
      namespace: route.namespace,
      operation: 'CREATE',
      userInfo: { username: 'bench' },
      object,
      oldObject: null,
      dryRun: false,
    },
  };
}

function post(agent: https.Agent, port: number, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = https.request(
      {
        agent,
        host: '127.0.0.1',
        servername: 'localhost',
        port,
        path: '/validate?timeout=10s',
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve(text));
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}
