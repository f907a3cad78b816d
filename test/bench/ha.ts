import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { firstValueFrom } from 'rxjs';
import { createAgentClient } from '../../src/fleet/agent-client.ts';
import { leaseRecord } from '../../src/kube/lease-record.ts';
import { tlsNames } from '../../src/protocol/tls-names.ts';
import { type ClusterClient, clusterClient } from './lib/cluster-client.ts';
import { findLines } from './lib/find-lines.ts';
import { reloadsOf } from './lib/haproxy-socket.ts';
import { startLoad } from './lib/load.ts';
import { createProber } from './lib/prober.ts';
import { type RouteSpec, endpointSliceOf } from './lib/route-objects.ts';
import { startSandboxProcess } from './lib/sandbox-process.ts';
import { mean, rounded } from './lib/statistics.ts';

const failovers = Number(process.env['HAPTIC_BENCH_FAILOVERS'] ?? 20);
const leaseSeconds = Number(process.env['HAPTIC_BENCH_LEASE'] ?? 15);
const routes = Number(process.env['HAPTIC_BENCH_ROUTES'] ?? 200);
const namespace = 'bench';
const system = 'haptic';
const agentPort = 5555;
const configs = { apiVersion: 'haproxy-haptic.org/v1alpha1', resources: 'haproxytemplateconfigs' };
const leases = { apiVersion: 'coordination.k8s.io/v1', resources: 'leases', namespace: system };
const pods = { apiVersion: 'v1', resources: 'pods', namespace: system };

/**
 * How long nobody writes when a leader ends, from the kill or SIGTERM to the first apply of the next one at a real agent; worst of 20 each, under
 * requests and a change of an endpoint every second. `kill.overLeaseMs`: beyond the lease duration.
 */
export async function run(): Promise<object> {
  const [line] = findLines();
  if (line === undefined) throw new Error('no HAProxy');
  await using resources = new AsyncDisposableStack();
  const backend = await startBackend();
  resources.defer(backend.close);
  const sandbox = await startSandboxProcess(line.path, ['--controllers', '2']);
  resources.defer(sandbox.stop);
  const cluster = clusterClient(sandbox.kubeconfigPath);
  resources.defer(() => cluster.transport.close());
  await setLease(cluster);
  const route = (i: number): RouteSpec => ({
    name: `r${i}`,
    namespace,
    host: `r${i}.bench.example`,
    className: 'haptic',
    addresses: [`127.10.0.${(i % 200) + 1}`],
    port: backend.port,
  });
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const present = Array.from({ length: routes }, (_, i) => route(i));
  await cluster.createRoutes(present, 8);
  const prober = createProber(sandbox.httpPort);
  resources.defer(prober.close);
  await prober.until(
    present.at(-1)?.host ?? '',
    performance.now(),
    ({ status }) => status === 200,
    () => undefined,
  );
  const agent = await connectAgent(cluster, path.dirname(sandbox.baseDir));
  resources.defer(agent.close);
  const scene: Scene = { cluster, kubeconfigPath: sandbox.kubeconfigPath, epoch: agent.epoch };
  await standbyReady(scene);

  const masterSocket = path.join(sandbox.baseDir, 'haproxy-master.sock');
  const reloads = await reloadsOf(masterSocket);
  const load = startLoad(
    sandbox.httpPort,
    present.map(({ host }) => host),
    100,
  );
  const churn = startChurn(cluster, present);
  const kill = await series(scene, 'SIGKILL');
  const graceful = await series(scene, 'SIGTERM');
  await churn.stop();
  return {
    failovers,
    leaseMs: leaseSeconds * 1000,
    kill: {
      ms: Math.max(...kill),
      overLeaseMs: Math.max(...kill) - leaseSeconds * 1000,
      meanMs: rounded(mean(kill)),
    },
    graceful: { ms: Math.max(...graceful), meanMs: rounded(mean(graceful)) },
    changes: churn.count(),
    failedRequests: await load.stop(),
    reloads: (await reloadsOf(masterSocket)) - reloads,
  };
}

interface Scene {
  readonly cluster: ClusterClient;
  readonly kubeconfigPath: string;
  /** The leader epoch that the agent has seen. */
  readonly epoch: () => Promise<number>;
}

async function series(scene: Scene, signal: 'SIGKILL' | 'SIGTERM'): Promise<readonly number[]> {
  const samples: number[] = [];
  for (let i = 0; i < failovers; i++) {
    // At no fixed phase of the renewals.
    await sleep(Math.random() * 2_000);
    const before = await scene.epoch();
    const pid = await pidOf(scene, await leaderOf(scene));
    const began = performance.now();
    process.kill(pid, signal);
    while ((await scene.epoch()) <= before) {
      if (performance.now() - began > leaseSeconds * 1000 + 60_000) throw new Error('nobody took over');
      await sleep(5);
    }
    samples.push(Math.round(performance.now() - began));
    process.stderr.write(`  ${signal} ${i + 1}: ${samples.at(-1) ?? 0} ms\n`);
    await standbyReady(scene, pid);
  }
  return samples;
}

async function setLease({ kube }: ClusterClient): Promise<void> {
  const leaderElection = {
    leaseDuration: `${leaseSeconds}s`,
    renewDeadline: `${(leaseSeconds * 2) / 3}s`,
    retryPeriod: `${Math.round((leaseSeconds * 2000) / 15)}ms`,
  };
  const ref = { ...configs, namespace: system };
  for await (const page of kube.list(ref)) {
    if (!page.ok) throw new Error(JSON.stringify(page.failure));
    for (const { metadata } of page.value.items) {
      const patched = await kube.patch(ref, metadata.name, 'merge', {
        spec: { controller: { leaderElection } },
      });
      if (!patched.ok) throw new Error(JSON.stringify(patched.failure));
    }
  }
}

/** What the Lease calls the leader, without the random part: a name of the sandbox's. */
async function leaderOf({ cluster }: Scene): Promise<string> {
  const lease = await cluster.kube.get(leases, 'haptic-leader');
  return lease.ok ? (leaseRecord(lease.value).holder.split('_')[0] ?? '') : '';
}

async function controllersOf({
  kubeconfigPath,
}: Scene): Promise<ReadonlyMap<string, { pid: number; url: string }>> {
  const found = new Map<string, { pid: number; url: string }>();
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const words = (await readFile(`/proc/${entry}/cmdline`, 'utf8').catch(() => '')).split('\0');
    const after = (flag: string) => words[words.indexOf(flag) + 1] ?? '';
    if (words.includes('run') && words.includes(kubeconfigPath))
      found.set(after('--identity'), { pid: Number(entry), url: `http://${after('--health-listen')}` });
  }
  return found;
}

async function pidOf(scene: Scene, name: string): Promise<number> {
  const controller = (await controllersOf(scene)).get(name);
  if (controller === undefined) throw new Error(`no controller is called ${name}`);
  return controller.pid;
}

/** Both run, the one that was ended anew, and both have rendered. */
async function standbyReady(scene: Scene, ended?: number): Promise<void> {
  for (let attempt = 0; attempt < 1200; attempt++) {
    const controllers = [...(await controllersOf(scene)).values()];
    const ready = await Promise.all(
      controllers.map(({ url }) =>
        fetch(`${url}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        ),
      ),
    );
    const isAnew = controllers.every(({ pid }) => pid !== ended);
    if (controllers.length === 2 && isAnew && ready.every(Boolean)) return;
    await sleep(100);
  }
  throw new Error('no standby gets ready');
}

async function connectAgent({ kube }: ClusterClient, folder: string) {
  const client = createAgentClient({
    tls: { dir: path.join(folder, 'certificates', 'client'), serverName: tlsNames.agent },
  });
  const found = await kube.get(pods, 'haproxy-0');
  const status = found.ok ? (found.value['status'] as { readonly podIP: string }) : undefined;
  const pod = {
    key: `${system}/haproxy-0`,
    uid: '',
    address: status?.podIP ?? '',
    port: agentPort,
    containerId: '',
  };
  return {
    epoch: async () => (await firstValueFrom(client.state(pod))).applied_token.leader_epoch,
    close: () => client.close(),
  };
}

/** Moves the endpoint of one route after another, once a second. */
function startChurn(cluster: ClusterClient, present: readonly RouteSpec[]) {
  let count = 0;
  let stopped = false;
  const loop = async (): Promise<void> => {
    while (!stopped) {
      await sleep(1_000);
      const route = present[count++ % present.length];
      if (route !== undefined)
        await cluster.replace(endpointSliceOf({ ...route, addresses: [`127.11.0.${(count % 200) + 1}`] }));
    }
  };
  const running = loop();
  return {
    count: () => count,
    stop: async () => {
      stopped = true;
      await running;
    },
  };
}

async function startBackend() {
  const server = http.createServer((_request, response) => response.end('ok'));
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
