import { setTimeout as sleep } from 'node:timers/promises';
import { type ClusterClient, clusterClient } from './lib/cluster-client.ts';
import { type ControllerProcess, readyControllers } from './lib/controller-processes.ts';
import { findLines } from './lib/find-lines.ts';
import { startPace } from './lib/pace.ts';
import { endpointSliceOf, ingressOf, moved, routeOf, serviceOf } from './lib/route-objects.ts';
import { startSandboxProcess } from './lib/sandbox-process.ts';
import { rounded } from './lib/statistics.ts';

const changes = Number(process.env['HAPTIC_BENCH_CHANGES'] ?? 1_000);
const perSecond = Number(process.env['HAPTIC_BENCH_RATE'] ?? 25);
const restSeconds = Number(process.env['HAPTIC_BENCH_REST'] ?? 30);
const address = '192.0.2.10';
const configs = { apiVersion: 'haproxy-haptic.org/v1alpha1', resources: 'haproxytemplateconfigs' };
const ingresses = { apiVersion: 'networking.k8s.io/v1', resources: 'ingresses' };

/**
 * How much is written to say what is: 1,000 routes come, 25 a second, and each Ingress gets its address once all pods serve it; then the
 * endpoints of each move, about which nobody has to be told; then nothing happens. `perObject`: requests to statuses for each Ingress that came;
 * `moving` and `atRest`: requests in these times, to statuses and to the objects that show renders. Those are written at an interval, however much
 * changes.
 */
export async function run(): Promise<object> {
  const [line] = findLines();
  if (line === undefined) throw new Error('no HAProxy');
  await using resources = new AsyncDisposableStack();
  const sandbox = await startSandboxProcess(line.path);
  resources.defer(sandbox.stop);
  const cluster = clusterClient(sandbox.kubeconfigPath);
  resources.defer(() => cluster.transport.close());
  await publishAddress(cluster);
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'bench' } });
  const [controller] = await readyControllers(sandbox.kubeconfigPath, 1);
  if (controller === undefined) throw new Error('no controller');
  const routes = Array.from({ length: changes }, (_, i) => routeOf(i));

  const empty = await writesOf(controller);
  await each(async (i) => {
    const route = routes[i];
    if (route === undefined) return;
    for (const object of [serviceOf(route), endpointSliceOf(route), ingressOf(route)])
      await cluster.create(object);
  });
  await until(async () => (await addressed(cluster)) === changes, 'not every Ingress has got its address');
  const coming = since(empty, await settled(controller));

  const full = await writesOf(controller);
  await each(async (i) => {
    const route = routes[i];
    if (route !== undefined) await cluster.replace(endpointSliceOf(moved(route, i)));
  });
  const moving = since(full, await settled(controller));

  const quiet = await writesOf(controller);
  await sleep(restSeconds * 1_000);
  const atRest = since(quiet, await writesOf(controller));
  return {
    perObject: rounded(coming.statuses / changes, 3),
    atRest: atRest.statuses + atRest.published,
    changes,
    coming,
    moving,
    rest: atRest,
  };
}

async function each(work: (turn: number) => Promise<void>): Promise<void> {
  const pace = startPace(1_000 / perSecond, async (turn) => {
    if (turn < changes) await work(turn);
  });
  await until(() => Promise.resolve(pace.done() >= changes), 'the changes do not get done');
  await pace.stop();
}

interface Writes {
  /** Requests to statuses of users' objects and of the configuration, by how they ended. */
  readonly results: ReadonlyMap<string, number>;
  readonly statuses: number;
  /** Requests to the objects that show renders, and to their statuses. */
  readonly published: number;
}

async function writesOf(controller: ControllerProcess): Promise<Writes> {
  const metrics = [...(await controller.metrics())];
  const results = new Map(
    metrics.flatMap(([series, value]) => {
      const result = /^haptic_status_writes_total\{result="(\w+)"\}$/.exec(series)?.[1];
      return result === undefined ? [] : [[result, value] as const];
    }),
  );
  const published = metrics.filter(([series]) =>
    /^haptic_published_total\{result="(?:written|status|removed)"\}$/.test(series),
  );
  return {
    results,
    statuses: [...results.values()].reduce((sum, value) => sum + value, 0),
    published: published.reduce((sum, [, value]) => sum + value, 0),
  };
}

function since(before: Writes, after: Writes) {
  const results = [...after.results].map(([result, value]) => [
    result,
    value - (before.results.get(result) ?? 0),
  ]);
  return {
    statuses: after.statuses - before.statuses,
    published: after.published - before.published,
    results: Object.fromEntries(results) as Record<string, number>,
  };
}

/** Once nothing was written for a while that is longer than any interval of writes. */
async function settled(controller: ControllerProcess): Promise<Writes> {
  let last = await writesOf(controller);
  for (let attempt = 0; attempt < 8; attempt++) {
    await sleep(12_000);
    const now = await writesOf(controller);
    if (now.statuses === last.statuses && now.published === last.published) return now;
    last = now;
  }
  throw new Error('writes do not come to an end');
}

async function publishAddress({ kube }: ClusterClient): Promise<void> {
  const ref = { ...configs, namespace: 'haptic' };
  for await (const page of kube.list(ref)) {
    if (!page.ok) throw new Error(JSON.stringify(page.failure));
    for (const { metadata } of page.value.items) {
      const patched = await kube.patch(ref, metadata.name, 'merge', {
        spec: { controller: { publishAddresses: [address] } },
      });
      if (!patched.ok) throw new Error(JSON.stringify(patched.failure));
    }
  }
}

/** Ingresses that have the address. */
async function addressed({ kube }: ClusterClient): Promise<number> {
  let count = 0;
  for await (const page of kube.list(ingresses)) {
    if (!page.ok) throw new Error(JSON.stringify(page.failure));
    count += page.value.items.filter((object) =>
      JSON.stringify(object['status'] ?? {}).includes(address),
    ).length;
  }
  return count;
}

async function until(holds: () => Promise<boolean>, otherwise: string): Promise<void> {
  for (let attempt = 0; attempt < 240; attempt++) {
    if (await holds()) return;
    await sleep(500);
  }
  throw new Error(otherwise);
}
