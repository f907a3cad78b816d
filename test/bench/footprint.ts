import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ControllerProcess, readyControllers } from './lib/controller-processes.ts';
import { clusterClient } from './lib/cluster-client.ts';
import { findLines } from './lib/find-lines.ts';
import { startPace } from './lib/pace.ts';
import { endpointSliceOf, ingressOf, moved, routeOf, serviceOf } from './lib/route-objects.ts';
import { residentAtRest } from './lib/resident-at-rest.ts';
import { startSandboxProcess } from './lib/sandbox-process.ts';
import { mean, rounded } from './lib/statistics.ts';

const count = Number(process.env['HAPTIC_BENCH_ROUTES'] ?? 2_000);
const warmUpSeconds = Number(process.env['HAPTIC_BENCH_WARM_UP'] ?? 30);
const seconds = Number(process.env['HAPTIC_BENCH_SECONDS'] ?? 60);
/** Where CPU and heap profiles go, if anywhere: they cost some of what is measured. */
const profiles = process.env['HAPTIC_BENCH_PROFILES'];

/**
 * What two controllers take of a machine at 2,000 routes, while one endpoint and one route change every second: resident memory, the most of
 * a minute, and cores, without the HAProxys that check (their children). Both are whole processes against the sandbox's API, and one real
 * HAProxy with its agent gets all of it. Each was started on an empty cluster and has seen all routes come. Before, what
 * they and an agent take at rest in a small cluster.
 */
export async function run(): Promise<object> {
  const [line] = findLines();
  if (line === undefined) throw new Error('no HAProxy');
  const rest = await residentAtRest(line.path);
  await using resources = new AsyncDisposableStack();
  const sandbox = await startSandboxProcess(line.path, ['--controllers', '2']);
  resources.defer(sandbox.stop);
  const cluster = clusterClient(sandbox.kubeconfigPath);
  resources.defer(() => cluster.transport.close());
  const routes = Array.from({ length: count }, (_, i) => routeOf(i));
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'bench' } });
  await cluster.createRoutes(routes, 16);
  const controllers = await readyControllers(sandbox.kubeconfigPath, 2);
  const leads = await Promise.all(controllers.map(({ isLeader }) => isLeader()));
  const leader = controllers[leads.indexOf(true)];
  const standby = controllers[leads.indexOf(false)];
  if (leader === undefined || standby === undefined) throw new Error('not one leader and one standby');
  await holdsAll(leader, count);

  const endpoints = startPace(1_000, async (turn) => {
    const route = routes[turn % count];
    if (route !== undefined) await cluster.replace(endpointSliceOf(moved(route, turn)));
  });
  // One comes, and goes a second later.
  const coming = startPace(1_000, async (turn) => {
    const route = routeOf(count + Math.floor(turn / 2));
    const objects = [serviceOf(route), endpointSliceOf(route), ingressOf(route)];
    for (const object of objects)
      if (turn % 2 === 0) await cluster.create(object);
      else await cluster.remove(object);
  });
  await sleep(warmUpSeconds * 1_000);
  const [ofLeader, ofStandby] = await Promise.all([measure(leader), measure(standby)]);
  await endpoints.stop();
  await coming.stop();
  return {
    rest,
    leader: ofLeader,
    standby: ofStandby,
    routes: count,
    seconds,
    endpointChanges: endpoints.done(),
    routeChanges: coming.done(),
  };
}

async function measure(controller: ControllerProcess) {
  const profiling = profiles === undefined ? undefined : takeProfiles(controller, profiles);
  const before = await controller.metrics();
  const cpu = await controller.cpuSeconds('process');
  const main = await controller.cpuSeconds('main thread');
  const began = performance.now();
  const rss: number[] = [];
  for (let i = 0; i < seconds; i++) {
    await sleep(1_000);
    rss.push(await controller.rssMiB());
  }
  const took = (performance.now() - began) / 1_000;
  const cores = ((await controller.cpuSeconds('process')) - cpu) / took;
  const mainThreadCores = ((await controller.cpuSeconds('main thread')) - main) / took;
  const after = await controller.metrics();
  await profiling;
  return {
    rssMiB: Math.max(...rss),
    cores: rounded(cores, 3),
    meanRssMiB: rounded(mean(rss), 0),
    mainThreadCores: rounded(mainThreadCores, 3),
    heapUsedMiB: rounded((after.get('nodejs_heap_size_used_bytes') ?? 0) / 2 ** 20, 0),
    renders:
      (after.get('haptic_reconciliation_total') ?? 0) - (before.get('haptic_reconciliation_total') ?? 0),
  };
}

/** All routes have been rendered and have reached the pod. */
async function holdsAll(leader: ControllerProcess, wanted: number): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const metrics = await leader.metrics();
    const isThere = (metrics.get('haptic_resource_count{type="ingresses"}') ?? 0) >= wanted;
    if (isThere && metrics.get('haptic_haproxy_fleet_converged') === 1) return;
    await sleep(200);
  }
  throw new Error('the routes do not get to HAProxy');
}

async function takeProfiles({ name, url }: ControllerProcess, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const half = Math.max(1, Math.floor(seconds / 2) - 1);
  for (const [page, ending] of [
    ['profile', 'cpuprofile'],
    ['heap', 'heapprofile'],
  ] as const) {
    const answer = await fetch(`${url}/debug/${page}?seconds=${half}`);
    await writeFile(path.join(folder, `${name}.${ending}`), await answer.text());
  }
}
