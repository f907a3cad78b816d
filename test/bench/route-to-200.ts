import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findLines } from './lib/find-lines.ts';
import { type ClusterClient, clusterClient } from './lib/cluster-client.ts';
import { type Floor, startFloor } from './lib/floor.ts';
import { floorLabel, runFloorLoop } from './lib/floor-loop.ts';
import { freePort } from './lib/free-port.ts';
import { reloadsOf } from './lib/haproxy-socket.ts';
import { startLoad } from './lib/load.ts';
import { type Answer, type Prober, createProber } from './lib/prober.ts';
import { type RouteSpec, endpointSliceOf, ingressOf, serviceOf } from './lib/route-objects.ts';
import { startSandboxProcess } from './lib/sandbox-process.ts';
import { mean, percentile, rounded } from './lib/statistics.ts';

const existing = Number(process.env['HAPTIC_BENCH_ROUTES'] ?? 3_000);
const probes = Number(process.env['HAPTIC_BENCH_PROBES'] ?? 60);
const namespace = 'bench';
const newestLine = '3.4';

/** What was seen of one kind of change, over all probes. */
interface Series {
  readonly samples: number[];
  readonly statuses: Map<number, number>;
}

/**
 * From the API's answer to the first request that is served accordingly: a new Ingress, and the only endpoint of a route
 * replaced, with 3,000 routes present; on the newest line also the floor, a bare loop from the same API to the same HAProxy,
 * interleaved with the product's own probes so that the machine's noise meets both.
 */
export async function run(): Promise<object> {
  if (process.env['HAPTIC_BENCH_FLOOR'] !== undefined) {
    await runFloorLoop(JSON.parse(process.env['HAPTIC_BENCH_FLOOR']) as Parameters<typeof runFloorLoop>[0]);
    throw new Error('the API ended the floor loop');
  }
  const wanted = process.env['HAPTIC_BENCH_LINES']?.split(',');
  const found = findLines().filter(({ line }) => wanted?.includes(line) ?? true);
  const lines: Record<string, LineResult> = {};
  for (const { line, path: haproxyPath } of found) {
    process.stderr.write(`  line ${line}: ${existing} routes, ${probes} probes\n`);
    lines[line] = await measureLine(haproxyPath, line === newestLine);
  }
  const top = lines[newestLine];
  return {
    routes: existing,
    probes,
    ...(top ?? {}),
    lines: Object.fromEntries(
      Object.entries(lines).map(([line, { create, endpoint }]) => [line, { create, endpoint }]),
    ),
  };
}

type LineResult = Awaited<ReturnType<typeof measureLine>>;

async function measureLine(haproxyPath: string, withFloor: boolean) {
  await using resources = new AsyncDisposableStack();
  const backend = await startBackend();
  resources.defer(backend.close);
  const sandbox = await startSandboxProcess(haproxyPath);
  resources.defer(sandbox.stop);
  const cluster = clusterClient(sandbox.kubeconfigPath);
  resources.defer(() => cluster.transport.close());
  const prober = createProber(sandbox.httpPort);
  resources.defer(prober.close);
  const masterSocket = path.join(sandbox.baseDir, 'haproxy-master.sock');
  const route = (name: string, className: string, octet: number): RouteSpec => ({
    name,
    namespace,
    host: `${name}.bench.example`,
    className,
    addresses: [`127.10.0.${octet}`],
    port: backend.port,
    ...(className === 'floor' ? { labels: { [floorLabel]: 'true' } } : {}),
  });

  const loading = performance.now();
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const present = Array.from({ length: existing }, (_, i) => route(`r${i}`, 'haptic', (i % 200) + 1));
  await cluster.createRoutes(present, 16);
  await prober.until(
    present.at(-1)?.host ?? '',
    performance.now(),
    ({ status }) => status === 200,
    () => undefined,
  );
  await settled(sandbox.controllerLog);
  process.stderr.write(`    loaded in ${rounded((performance.now() - loading) / 1000, 1)} s\n`);

  let floor: Floor | undefined;
  let floorProber: Prober | undefined;
  if (withFloor) {
    const { kubeconfigPath, baseDir } = sandbox;
    floor = await startFloor({ haproxyPath, baseDir, kubeconfigPath, httpPort: await freePort() });
    resources.defer(floor.stop);
    floorProber = createProber(floor.httpPort);
    resources.defer(floorProber.close);
  }

  const load = startLoad(
    sandbox.httpPort,
    present.slice(0, 50).map(({ host }) => host),
    100,
  );
  const create = await interleaved(prober, floorProber, masterSocket, (who, i) =>
    createProbe(cluster, who, route(`${who.name}-new-${i}`, who.className, 201)),
  );
  const endpoint = await interleaved(prober, floorProber, masterSocket, (who, i) =>
    endpointProbe(cluster, who, route(`${who.name}-new-${i}`, who.className, 202)),
  );
  const failedRequests =
    (await load.stop()) + (endpoint.ours.statuses.size === 0 ? 0 : failuresIn(endpoint.ours));

  const floorResult = {
    createMs: rounded(mean(create.floor.samples)),
    endpointMs: rounded(mean(endpoint.floor.samples)),
  };
  const unexpected = [...create.ours.statuses].filter(([status]) => ![200, 404, 503].includes(status));
  return {
    create: { ...summary(create.ours), ...over(create), reloads: create.reloads },
    endpoint: { ...summary(endpoint.ours), ...over(endpoint), reloads: endpoint.reloads },
    ...(withFloor ? { floor: floorResult } : {}),
    reloads: create.reloads + endpoint.reloads,
    unexpectedStatus: unexpected.reduce((sum, [, count]) => sum + count, 0),
    failedRequests,
  };
}

interface Contestant {
  readonly name: 'ours' | 'floor';
  readonly className: 'haptic' | 'floor';
  readonly prober: Prober;
  readonly series: Series;
}

async function interleaved(
  ours: Prober,
  floor: Prober | undefined,
  masterSocket: string,
  probe: (who: Contestant, i: number) => Promise<number>,
) {
  const before = await reloadsOf(masterSocket);
  const series = (): Series => ({ samples: [], statuses: new Map() });
  const contestants: Contestant[] = [{ name: 'ours', className: 'haptic', prober: ours, series: series() }];
  if (floor !== undefined)
    contestants.push({ name: 'floor', className: 'floor', prober: floor, series: series() });
  for (let i = 0; i < probes; i++) {
    for (const who of contestants) {
      // Changes come when nothing else happens, at no fixed phase of anybody's timer.
      await sleep(60 + Math.random() * 60);
      who.series.samples.push(await probe(who, i));
    }
  }
  return {
    ours: contestants[0]?.series ?? series(),
    floor: contestants[1]?.series ?? series(),
    reloads: (await reloadsOf(masterSocket)) - before,
  };
}

async function createProbe(
  cluster: ClusterClient,
  { prober, series }: Contestant,
  route: RouteSpec,
): Promise<number> {
  await cluster.create(serviceOf(route));
  await cluster.create(endpointSliceOf(route));
  await sleep(20);
  await cluster.create(ingressOf(route));
  const acknowledged = performance.now();
  return prober.until(route.host, acknowledged, ({ status }) => status === 200, count(series));
}

/** Answers until the new endpoint serves must be good ones from the old endpoint. */
async function endpointProbe(
  cluster: ClusterClient,
  { prober, series }: Contestant,
  route: RouteSpec,
): Promise<number> {
  await cluster.replace(endpointSliceOf(route));
  const acknowledged = performance.now();
  const [address] = route.addresses;
  return prober.until(route.host, acknowledged, ({ servedBy }) => servedBy === address, count(series));
}

const count = (series: Series) => (answer: Answer) => {
  series.statuses.set(answer.status, (series.statuses.get(answer.status) ?? 0) + 1);
};

function failuresIn({ statuses }: Series): number {
  return [...statuses].filter(([status]) => status !== 200).reduce((sum, [, times]) => sum + times, 0);
}

function summary({ samples }: Series) {
  return {
    meanMs: rounded(mean(samples)),
    p50Ms: rounded(percentile(samples, 0.5)),
    p99Ms: rounded(percentile(samples, 0.99)),
    maxMs: rounded(Math.max(...samples)),
  };
}

/** Ratio of the means; of the medians too, which a single slow probe does not move. */
function over({ ours, floor }: { readonly ours: Series; readonly floor: Series }) {
  if (floor.samples.length === 0) return {};
  return {
    overFloor: rounded(mean(ours.samples) / mean(floor.samples)),
    overFloorP50: rounded(percentile(ours.samples, 0.5) / percentile(floor.samples, 0.5)),
  };
}

/** Answers on every loopback address and says at which it was reached. */
async function startBackend() {
  const server = http.createServer((request, response) => {
    response.setHeader('x-served-by', request.socket.localAddress ?? '');
    response.end('ok');
  });
  server.keepAliveTimeout = 300_000;
  server.listen(0, '0.0.0.0', 4096);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The controller has nothing left to do: its log is quiet for a while. */
async function settled(log: string): Promise<void> {
  const { stat } = await import('node:fs/promises');
  let size = -1;
  for (let quiet = 0; quiet < 4;) {
    await sleep(500);
    const now = (await stat(log)).size;
    quiet = now === size ? quiet + 1 : 0;
    size = now;
  }
}
