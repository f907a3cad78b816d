import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AnyObject, type InstallCluster, installCluster } from '../fixtures/install/install-cluster.ts';
import { isReady } from '../fixtures/install/is-ready.ts';
import { type Load, startLoad } from '../fixtures/install/load.ts';
import { nodesMissing } from '../fixtures/install/nodes/nodes-missing.ts';
import { openNodes, type OpenNodes } from '../fixtures/install/nodes/open-nodes.ts';
import { fullname, installRelease, uninstallRelease, whatIsWrong } from '../fixtures/install/release.ts';
import { sample, sampleRoute } from '../fixtures/install/sample.ts';
import { secureNamespace } from '../fixtures/install/secure-namespace.ts';

const release = { name: 'haptic-nodes', namespace: 'haptic-nodes' };
/** Of the backends; no other pod of a cluster that was given is called like that. */
const app = 'haptic-nodes-site';
const apps = 'haptic-nodes-apps';
const host = 'site.example.com';
/** Shorter than a HAProxy pod takes to end, which has to learn meanwhile that its servers go. */
const lingerSeconds = 5;
const missing = nodesMissing(process.env);

describe.skipIf(missing !== undefined)(
  `on several nodes, under constant load${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    let home: string;
    let opened: OpenNodes | undefined;
    let cluster: InstallCluster;
    let load: Load;
    const nodeOf = ({ spec }: AnyObject) => String(spec?.['nodeName']);
    const uids = (pods: readonly AnyObject[]) => pods.map(({ metadata }) => metadata.uid);
    /** Those that are of the release or of the backends, not those that end. */
    const podsOf = async (part: 'controller' | 'haproxy' | 'site') => {
      const found =
        part === 'site'
          ? await cluster.list('pods', apps, `app=${app}`)
          : await cluster.list(
              'pods',
              release.namespace,
              `app.kubernetes.io/instance=${release.name},app.kubernetes.io/component=${part}`,
            );
      return found.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    };
    const everything = async () =>
      (await Promise.all([podsOf('controller'), podsOf('haproxy'), podsOf('site')])).flat();
    const settled = async () => {
      const rollout = ['rollout', 'status', '--timeout=240s'];
      for (const part of ['controller', 'haproxy'])
        await cluster.kubectl([
          ...rollout,
          `deployment/${fullname(release)}-${part}`,
          '-n',
          release.namespace,
        ]);
      await cluster.kubectl([...rollout, `deployment/${app}`, '-n', apps]);
    };
    const hasThreeNodes = async () => (await cluster.list('nodes', '')).length >= 3;
    /** All pods but the load; on a cluster that was given those of this spec alone. */
    const drained = async (node: string) => {
      const own = `app.kubernetes.io/instance=${release.name},app.kubernetes.io/component in (controller,haproxy)`;
      const selectors = opened?.ends === true ? ['role!=load'] : [own, `app=${app}`];
      const drain = ['drain', node, '--ignore-daemonsets', '--delete-emptydir-data', '--timeout=240s'];
      await Promise.all(
        selectors.map((selector) => cluster.kubectl([...drain, `--pod-selector=${selector}`])),
      );
    };
    /** How many pods of each kind are ready at least, as seen again and again while something is done. */
    const fewestReady = async (work: () => Promise<unknown>) => {
      const fewest = { controller: Infinity, haproxy: Infinity, site: Infinity };
      let isDone = false;
      const look = async () => {
        while (!isDone)
          for (const part of ['controller', 'haproxy', 'site'] as const)
            fewest[part] = Math.min(fewest[part], (await podsOf(part)).filter(isReady).length);
      };
      const end = work().finally(() => (isDone = true));
      await Promise.all([end, look()]);
      return fewest;
    };
    const changesGoOn = async (name: string) => {
      const own = `${name}.example.com`;
      const route = { name, namespace: apps, host: own, service: app, ingressClass: fullname(release) };
      await cluster.apply(sampleRoute(route));
      await load.answers(own, 200);
      await cluster.kubectl(['delete', 'ingress', name, '-n', apps]);
    };

    beforeAll(async () => {
      home = await mkdtemp(path.join(tmpdir(), 'haptic-nodes-'));
      opened = await openNodes(process.env, home);
      cluster = installCluster(opened.target, home);
      await cluster.apply(secureNamespace(release.namespace), secureNamespace(apps));
      await installRelease(cluster, release, { json: opened.values });
      const budget = { minAvailable: 2, selector: { matchLabels: { app } } };
      const metadata = { name: app, namespace: apps };
      const node = cluster.nodeProgram ?? 'node';
      await cluster.apply(
        ...sample({ ...metadata, image: cluster.image, replicas: 3, answer: 'site', node, lingerSeconds }),
        { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata, spec: budget },
        sampleRoute({ ...metadata, host, service: app, ingressClass: fullname(release) }),
      );
      await settled();
      const service = ['get', 'service', `${fullname(release)}-haproxy`, '-n', release.namespace];
      const address = await cluster.kubectl([...service, '-o', 'jsonpath={.spec.clusterIP}']);
      const url = `http://${address}/`;
      const probe = await startLoad(cluster, { name: 'probe', namespace: apps, url });
      await probe.answers(host, 200);
      await probe.end();
      load = await startLoad(cluster, { name: 'load', namespace: apps, url, host, rate: 100 });
    });
    afterAll(async () => {
      if (opened === undefined) return;
      if (!opened.ends) {
        await uninstallRelease(cluster, release);
        await cluster.kubectl(['delete', 'namespace', apps, release.namespace, '--wait']);
      }
      await opened.close();
      await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    });

    it('pods of a kind are on different nodes', async ({ skip }) => {
      if (!(await hasThreeNodes())) skip('the cluster has fewer than three nodes');
      for (const part of ['controller', 'haproxy', 'site'] as const) {
        const nodes = (await podsOf(part)).map(nodeOf);
        expect(new Set(nodes).size, `${part}: ${nodes.join(' ')}`).toBe(nodes.length);
      }
    });

    it('nodes are drained, two of them at once: all pods move, and no request is lost', async ({ skip }) => {
      if (!(await hasThreeNodes())) skip('the cluster has fewer than three nodes');
      const first = uids(await everything());
      // Both HAProxy pods at once, which only the budget keeps apart; then all pods of where they are now.
      for (const round of ['at once', 'again']) {
        const nodes = [...new Set((await podsOf('haproxy')).map(nodeOf))];
        const before = (await everything()).filter((pod) => nodes.includes(nodeOf(pod)));
        try {
          const fewest = await fewestReady(() => Promise.all(nodes.map(drained)));
          // What the budgets promise. No request tells whether a controller is left, and HAProxy pods that end together may serve until others are ready.
          expect(fewest.controller, 'ready controllers').toBeGreaterThanOrEqual(1);
          expect(fewest.haproxy, 'ready HAProxy pods').toBeGreaterThanOrEqual(1);
          expect(fewest.site, 'ready backends').toBeGreaterThanOrEqual(2);
          await settled();
          const after = await everything();
          expect(after.filter((pod) => nodes.includes(nodeOf(pod)))).toEqual([]);
          expect(uids(after).filter((uid) => uids(before).includes(uid))).toEqual([]);
          await changesGoOn(`drained-${round.replace(' ', '-')}`);
        } catch (error) {
          process.stderr.write(await whatIsWrong(cluster, release.namespace));
          throw error;
        } finally {
          for (const node of nodes) await cluster.kubectl(['uncordon', node]);
        }
      }
      expect(uids(await everything()).filter((uid) => first.includes(uid))).toEqual([]);
      await load.more(200);
      const { failed, reasons, requests } = await load.end();
      expect({ failed, reasons }).toEqual({ failed: 0, reasons: {} });
      expect(requests).toBeGreaterThan(1000);
    });
  },
);
