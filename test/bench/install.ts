import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type InstallCluster, installCluster } from '../fixtures/install/install-cluster.ts';
import { startLoad } from '../fixtures/install/load.ts';
import { openCluster } from '../fixtures/install/open-cluster.ts';
import { releaseUrl, uninstallRelease, valuesFor } from '../fixtures/install/release.ts';
import { restricted, sample, sampleRoute } from '../fixtures/install/sample.ts';

const release = { name: 'haptic', namespace: 'haptic-bench' };
const apps = 'haptic-bench-apps';
const host = 'bench.example.com';
const restSeconds = Number(process.env['HAPTIC_BENCH_REST'] ?? 30);

/**
 * What a user gets of `helm install`: the time from the command to the first 200 for a route that was there before, with the image on the node; the
 * image's size as the node has it; how long an agent takes from its process's start to /healthz, in a pod; and resident memory of
 * controllers and agents (the most of each) at rest, with one route. Needs a cluster with nodes (./dev test cluster tells which), and says so else.
 */
export async function run(): Promise<object> {
  const opened = await openCluster(process.env);
  if (typeof opened === 'string') return { skipped: opened };
  const home = await mkdtemp(path.join(tmpdir(), 'haptic-bench-install-'));
  await using resources = new AsyncDisposableStack();
  resources.defer(() => opened.close());
  resources.defer(() => rm(home, { recursive: true, force: true }));
  const cluster = installCluster(opened.target, home);
  const { image } = cluster;
  for (const name of [release.namespace, apps])
    await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  resources.defer(() =>
    cluster.kubectl(['delete', 'namespace', apps, release.namespace]).then(() => undefined),
  );
  await cluster.apply(
    ...sample({ name: 'site', namespace: apps, image, replicas: 1, answer: 'site' }),
    sampleRoute({ name: 'site', namespace: apps, host, service: 'site', ingressClass: release.name }),
  );
  await cluster.kubectl(['rollout', 'status', 'deployment/site', '-n', apps, '--timeout=120s']);
  const agentHealthzMs = await agentStart(cluster);
  const client = await startLoad(cluster, { name: 'client', namespace: apps, url: releaseUrl(release) });
  const began = performance.now();
  await cluster.helm([
    'install',
    release.name,
    cluster.chart,
    '-n',
    release.namespace,
    ...valuesFor(cluster),
  ]);
  resources.defer(() => uninstallRelease(cluster, release));
  while ((await client.get(host)).status !== 200) await sleep(20);
  const toFirst200Ms = Math.round(performance.now() - began);
  await sleep(restSeconds * 1_000);
  const [controllerRssMiB, agentRssMiB] = [
    await resident(cluster, 'controller', 'controller'),
    await resident(cluster, 'haproxy', 'agent'),
  ];
  return { toFirst200Ms, imageMiB: await imageSize(cluster), agentHealthzMs, controllerRssMiB, agentRssMiB };
}

const script = `
const { spawn } = require('node:child_process');
const http = require('node:http');
const healthy = () => new Promise((done) => {
  const request = http.get('http://127.0.0.1:5557/healthz', (answer) => { answer.resume(); done(answer.statusCode === 200); });
  request.on('error', () => done(false));
});
(async () => {
  const times = [];
  for (let turn = 0; turn < 7; turn++) {
    const began = performance.now();
    const child = spawn('haptic', ['agent', '--base-dir', '/work', '--no-tls'], { stdio: 'ignore', env: { ...process.env, DATAPLANE_USERNAME: 'u', DATAPLANE_PASSWORD: 'p', MALLOC_ARENA_MAX: '1' } });
    while (!(await healthy())) await new Promise((next) => setTimeout(next, 2));
    times.push(performance.now() - began);
    child.kill('SIGKILL');
    await new Promise((next) => child.once('exit', next));
  }
  console.log(JSON.stringify(times.sort((a, b) => a - b)));
})();
`;

/** Median of seven starts in one pod, the first of which reads the program from disk. */
async function agentStart(cluster: InstallCluster): Promise<number> {
  const container = {
    name: 'start',
    image: cluster.image,
    command: ['node', '-e', script],
    volumeMounts: [{ name: 'work', mountPath: '/work' }],
    securityContext: restricted.container,
  };
  const spec = {
    restartPolicy: 'Never',
    securityContext: { ...restricted.pod, fsGroup: 65532 },
    containers: [container],
    volumes: [{ name: 'work', emptyDir: {} }],
  };
  await cluster.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'start', namespace: apps }, spec });
  const waited = [
    'wait',
    'pod/start',
    '-n',
    apps,
    '--for=jsonpath={.status.phase}=Succeeded',
    '--timeout=120s',
  ];
  await cluster.kubectl(waited);
  const times = JSON.parse(await cluster.kubectl(['logs', 'start', '-n', apps])) as number[];
  return Math.round(times[3] ?? NaN);
}

/** Of the first process of that container: Node of controllers and agents. */
async function resident(cluster: InstallCluster, component: string, container: string): Promise<number> {
  const selector = `app.kubernetes.io/instance=${release.name},app.kubernetes.io/component=${component}`;
  const pods = await cluster.list('pods', release.namespace, selector);
  const kibibytes = await Promise.all(
    pods.map(async ({ metadata }) => {
      const exec = [
        'exec',
        metadata.name,
        '-n',
        release.namespace,
        '-c',
        container,
        '--',
        'cat',
        '/proc/1/status',
      ];
      return Number(/^VmRSS:\s+(\d+) kB$/m.exec(await cluster.kubectl(exec))?.[1]);
    }),
  );
  return Math.round((Math.max(...kibibytes) / 1024) * 10) / 10;
}

/** As the first node that has it says. */
async function imageSize(cluster: InstallCluster): Promise<number> {
  const nodes = await cluster.list('nodes', '');
  const sizes = nodes
    .flatMap(
      ({ status }) => (status?.['images'] ?? []) as { names: readonly string[] | null; sizeBytes: number }[],
    )
    .filter(({ names }) => names?.includes(cluster.image))
    .map(({ sizeBytes }) => sizeBytes);
  return Math.round((sizes[0] ?? NaN) / 1024 / 1024);
}
