import { afterAll, beforeAll, beforeEach, afterEach, expect, it } from 'vitest';
import { describeInstalled } from '../fixtures/install/describe-installed.ts';
import { holdKubeProxy } from '../fixtures/install/hold-kube-proxy.ts';
import { isReady } from '../fixtures/install/is-ready.ts';
import { type Load, startLoad } from '../fixtures/install/load.ts';
import {
  fullname,
  installRelease,
  releaseUrl,
  uninstallRelease,
  whatIsWrong,
} from '../fixtures/install/release.ts';
import { removeLoads } from '../fixtures/install/remove-loads.ts';
import { restartApiServer } from '../fixtures/install/restart-api-server.ts';
import { sample, sampleRoute } from '../fixtures/install/sample.ts';
import { secureNamespace } from '../fixtures/install/secure-namespace.ts';
import { takesNoPods } from '../fixtures/install/takes-no-pods.ts';

const release = { name: 'edge', namespace: 'haptic-disruptions' };
const apps = 'haptic-disruptions-apps';
const host = 'site.example.com';

describeInstalled('under constant load', (cluster) => {
  const { kubectl, list, until } = cluster;
  let load: Load;
  const pods = (component: string) =>
    list(
      'pods',
      release.namespace,
      `app.kubernetes.io/instance=${release.name},app.kubernetes.io/component=${component}`,
    );
  const firstPod = async (component: string) => (await pods(component))[0]?.metadata.name ?? '';
  const rolledOut = (what: string, namespace: string) =>
    kubectl(['rollout', 'status', what, '-n', namespace, '--timeout=240s']);
  const restart = async (what: string, namespace: string) => {
    await kubectl(['rollout', 'restart', what, '-n', namespace]);
    await rolledOut(what, namespace);
  };
  const fleetReady = async () => {
    await rolledOut(`deployment/${fullname(release)}-controller`, release.namespace);
    await rolledOut(`deployment/${fullname(release)}-haproxy`, release.namespace);
  };
  /** How often the containers of that name were started again, in all pods. */
  const restarts = async (component: string, container: string) => {
    const found = await pods(component);
    return found
      .flatMap(({ status = {} }) => [status['containerStatuses'], status['initContainerStatuses']])
      .flatMap((statuses) => (statuses ?? []) as { name: string; restartCount: number }[])
      .filter(({ name }) => name === container)
      .reduce((sum, { restartCount }) => sum + restartCount, 0);
  };
  const killInside = async (component: string, container: string, script: string) => {
    const before = await restarts(component, container);
    const exec = ['exec', await firstPod(component), '-c', container, '-n', release.namespace, '--'];
    // The exec ends with the container.
    await kubectl([...exec, '/bin/sh', '-c', script]).catch(() => undefined);
    await until(`${container} was started again`, async () =>
      (await restarts(component, container)) > before ? true : undefined,
    );
    await fleetReady();
  };
  /** A new route gets through all of it: watched, rendered, checked, delivered to every pod. */
  const changesGoOn = async (name: string) => {
    const own = `${name}.example.com`;
    const route = { name, namespace: apps, host: own, service: 'site', ingressClass: fullname(release) };
    await cluster.apply(sampleRoute(route));
    await load.answers(own, 200);
    await kubectl(['delete', 'ingress', name, '-n', apps]);
  };

  beforeAll(async () => {
    await cluster.apply(secureNamespace(release.namespace), secureNamespace(apps));
    await installRelease(cluster, release);
    const { image } = cluster;
    await cluster.apply(
      ...sample({ name: 'site', namespace: apps, image, replicas: 3, answer: 'site' }),
      sampleRoute({ name: 'site', namespace: apps, host, service: 'site', ingressClass: fullname(release) }),
    );
    await rolledOut('deployment/site', apps);
    const probe = await startLoad(cluster, { name: 'probe', namespace: apps, url: releaseUrl(release) });
    await until('the route is served', async () =>
      (await probe.get(host)).status === 200 ? true : undefined,
    );
    await probe.end();
  });
  beforeEach(async () => {
    load = await startLoad(cluster, {
      name: 'load',
      namespace: apps,
      url: releaseUrl(release),
      host,
      rate: 100,
    });
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(await whatIsWrong(cluster, release.namespace));
    await removeLoads(cluster, apps);
  });
  afterAll(async () => {
    await uninstallRelease(cluster, release);
    await kubectl(['delete', 'namespace', apps, release.namespace, '--wait']);
  });
  const expectNothingLost = async () => {
    await load.more(200);
    const { failed, reasons } = await load.end();
    expect({ failed, reasons }).toEqual({ failed: 0, reasons: {} });
  };

  it('a rolling update of the backends loses no request', async () => {
    await kubectl(['set', 'env', 'deployment/site', '-n', apps, 'ANSWER=next']);
    await rolledOut('deployment/site', apps);
    await load.more(600);
    expect((await load.counts()).bodies['next\n']).toBeGreaterThan(0);
    await expectNothingLost();
  });

  it('a rolling restart of the HAProxy pods loses no request', async () => {
    const before = (await pods('haproxy')).map(({ metadata }) => metadata.uid);
    await restart(`deployment/${fullname(release)}-haproxy`, release.namespace);
    await until('the former pods are gone', async () =>
      (await pods('haproxy')).some(({ metadata }) => before.includes(metadata.uid)) ? undefined : true,
    );
    await expectNothingLost();
  });

  it('a rolling restart of the controllers loses no request, and changes go on', async () => {
    await restart(`deployment/${fullname(release)}-controller`, release.namespace);
    await changesGoOn('controllers-restarted');
    await expectNothingLost();
  });

  it('a leader that is killed is followed by the other one, and no request is lost', async () => {
    const lease = await kubectl([
      'get',
      'lease',
      '-n',
      release.namespace,
      '-o',
      'jsonpath={.items[0].spec.holderIdentity}',
    ]);
    const leader = (await pods('controller')).find(({ metadata }) => lease.startsWith(metadata.name));
    await kubectl([
      'delete',
      'pod',
      leader?.metadata.name ?? '',
      '-n',
      release.namespace,
      '--grace-period=0',
      '--force',
    ]);
    await changesGoOn('leader-killed');
    await fleetReady();
    await expectNothingLost();
  });

  it('an agent that ends is started again, takes up where it was, and no request is lost', async () => {
    await killInside('haproxy', 'agent', 'kill -TERM 1');
    await changesGoOn('agent-ended');
    await expectNothingLost();
  });

  it('a HAProxy that crashes is started again on the accepted configuration', async () => {
    // The worker: a signal to the first process of a container is ignored from inside.
    await killInside(
      'haproxy',
      'haproxy',
      'for p in /proc/[0-9]*; do p=${p#/proc/}; [ $p = 1 ] || case $(cat /proc/$p/comm 2>/dev/null) in haproxy) kill -9 $p;; esac; done',
    );
    await changesGoOn('haproxy-crashed');
    const { failed } = await load.counts();
    await load.more(300);
    expect((await load.end()).failed).toBe(failed);
  });

  it('HAProxy pods that are deleted with force come back, and from then on nothing is lost', async () => {
    const name = await firstPod('haproxy');
    await kubectl(['delete', 'pod', name, '-n', release.namespace, '--grace-period=0', '--force']);
    await fleetReady();
    await until('nothing fails any more', async () => {
      const { failed } = await load.counts();
      await load.more(100);
      return (await load.counts()).failed === failed ? true : undefined;
    });
    await changesGoOn('pod-deleted');
    const { failed } = await load.counts();
    await load.more(300);
    expect((await load.end()).failed).toBe(failed);
  });

  if (cluster.node !== undefined) {
    const { node } = cluster;
    it('an API server that is away for a while and comes back costs no request, and changes go on', async () => {
      await restartApiServer(node, 20);
      await until('the API server answers', async () =>
        (await kubectl(['get', '--raw', '/readyz'])) === 'ok' ? true : undefined,
      );
      await changesGoOn('api-server-restarted');
      await fleetReady();
      await expectNothingLost();
    });

    it('a HAProxy pod that ends serves on while kube-proxy still sends requests to it', async () => {
      // As after an outage of the API server, when clients look again after a minute at the latest.
      const name = await firstPod('haproxy');
      const held = await holdKubeProxy(node);
      try {
        await kubectl(['delete', 'pod', name, '-n', release.namespace, '--wait=false']);
        await new Promise((over) => setTimeout(over, 30_000));
      } finally {
        await held.goOn();
      }
      await until('the pod has ended', async () =>
        (await pods('haproxy')).some(({ metadata }) => metadata.name === name) ? undefined : true,
      );
      await fleetReady();
      await expectNothingLost();
    });
  }

  it('a node that is drained keeps one pod of each, and no request is lost', async () => {
    const [pod] = await pods('haproxy');
    const node = String(pod?.spec?.['nodeName']);
    try {
      await kubectl(['cordon', node]);
      // One that is given to the node all the same gets ready there, and its budget lets all the others go.
      const isOnlyNode = (await list('nodes', '')).length === 1;
      if (isOnlyNode) await takesNoPods(cluster, apps);
      const before = (await pods('haproxy')).length;
      const selector = `app.kubernetes.io/instance=${release.name},app.kubernetes.io/component in (controller,haproxy)`;
      const drain = [
        'drain',
        node,
        `--pod-selector=${selector}`,
        '--ignore-daemonsets',
        '--delete-emptydir-data',
      ];
      const drained = await kubectl([...drain, '--timeout=40s']).then(
        () => 'all of them went',
        (error: unknown) => String(error),
      );
      if (isOnlyNode) expect(drained).toContain('disruption budget');
      expect(before).toBe(2);
      expect((await pods('haproxy')).filter(isReady).length).toBeGreaterThan(0);
    } finally {
      await kubectl(['uncordon', node]);
    }
    await fleetReady();
    await changesGoOn('node-drained');
    await expectNothingLost();
  });
});
