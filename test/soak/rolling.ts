import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { installCluster } from '../fixtures/install/install-cluster.ts';
import { startLoad } from '../fixtures/install/load.ts';
import { openCluster } from '../fixtures/install/open-cluster.ts';
import { fullname, installRelease, releaseUrl, uninstallRelease } from '../fixtures/install/release.ts';
import { sample, sampleRoute } from '../fixtures/install/sample.ts';
import { countFlag } from './lib/soak-flags.ts';
import type { SoakInput, SoakReport } from './lib/soak.ts';

/**
 * Rolling restarts of backends, HAProxy pods and controllers, one after the other and again, under constant load from a pod, until so many
 * requests were sent: none of them may fail. On a cluster with nodes, as the tests of project `install`.
 */
export const flags = {
  requests: 'at least (default 50000)',
  rate: 'requests a second (default 400)',
  clients: 'every other one keeps its connection (default 16)',
};

const release = { name: 'soak', namespace: 'haptic-soak' };
const apps = 'haptic-soak-apps';
const host = 'soak.example.com';

export async function run({ values, say }: SoakInput): Promise<SoakReport> {
  const wanted = countFlag(values, 'requests', 50_000, 1);
  const rate = countFlag(values, 'rate', 400, 1);
  const clients = countFlag(values, 'clients', 16, 2);
  const opened = await openCluster(process.env);
  if (typeof opened === 'string') return { ok: false, error: opened };
  const home = await mkdtemp(path.join(tmpdir(), 'haptic-soak-'));
  await using resources = new AsyncDisposableStack();
  resources.defer(() => opened.close());
  resources.defer(() => rm(home, { recursive: true, force: true }));
  const cluster = installCluster(opened.target, home);
  for (const name of [release.namespace, apps])
    await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  resources.defer(() =>
    cluster.kubectl(['delete', 'namespace', apps, release.namespace]).then(() => undefined),
  );
  await installRelease(cluster, release);
  resources.defer(() => uninstallRelease(cluster, release));
  const { image } = cluster;
  await cluster.apply(
    ...sample({ name: 'site', namespace: apps, image, replicas: 3, answer: 'site' }),
    sampleRoute({ name: 'site', namespace: apps, host, service: 'site', ingressClass: fullname(release) }),
  );
  const url = releaseUrl(release);
  const probe = await startLoad(cluster, { name: 'probe', namespace: apps, url });
  await probe.answers(host, 200);
  await probe.end();

  const load = await startLoad(cluster, { name: 'load', namespace: apps, url, host, rate, clients });
  const began = performance.now();
  const rolled = { backends: 0, haproxy: 0, controllers: 0 };
  const targets = [
    ['backends', 'deployment/site', apps],
    ['haproxy', `deployment/${fullname(release)}-haproxy`, release.namespace],
    ['controllers', `deployment/${fullname(release)}-controller`, release.namespace],
  ] as const;
  for (let counts = await load.counts(); counts.requests < wanted; counts = await load.counts()) {
    for (const [what, name, namespace] of targets) {
      await cluster.kubectl(['rollout', 'restart', name, '-n', namespace]);
      await cluster.kubectl(['rollout', 'status', name, '-n', namespace, '--timeout=240s']);
      rolled[what]++;
    }
    say(`${String((await load.counts()).requests)} requests, ${String((await load.counts()).failed)} failed`);
  }
  const { requests, failed, reasons } = await load.end();
  const seconds = (performance.now() - began) / 1_000;
  return {
    ok: failed === 0,
    requests,
    failed,
    reasons,
    rolled,
    requestsPerSecond: Math.round(requests / seconds),
  };
}
