import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { applyCrdsCommand } from '../../src/cli/apply-crds-command.ts';
import { certificatesCommand } from '../../src/cli/certificates-command.ts';
import { helmMissing } from '../fixtures/chart/helm-missing.ts';
import type { Manifest } from '../fixtures/chart/manifest.ts';
import { podsOf } from '../fixtures/chart/pods-of.ts';
import { renderChart } from '../fixtures/chart/render-chart.ts';
import { grantedRights, isUsedBy, type Right, rightText, usedRights } from '../fixtures/chart/rights.ts';
import { createNamespace, describeOnCluster } from '../fixtures/control-plane.ts';
import { newestHaproxyLine } from '../fixtures/haproxy-lines.ts';
import { installCrds } from '../fixtures/install-crds.ts';
import type { Kubectl } from '../fixtures/kubectl.ts';
import { recordingProxy, type RecordingProxy } from '../fixtures/recording-proxy.ts';
import { callOf } from '../unit/cli/values-of.ts';
import { simulatedAgent } from '../bench/lib/simulated-agent.ts';

const root = path.join(import.meta.dirname, '../..');
const patience = { timeout: 90_000, interval: 250 };
const release = 'rights';
const missing =
  helmMissing(process.env) ?? (newestHaproxyLine() === undefined ? 'there is no HAProxy' : undefined);

/** An address of this machine that is not loopback: debug pages ask there who somebody is. */
const elsewhere = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

/** Of a configuration that has something of every kind to publish, and an object of its own. */
const values = (agentPort: number, k8sResources: object) => ({
  haproxy: { service: { type: 'LoadBalancer' }, ports: { agent: agentPort } },
  rbac: { ownResources: [{ apiGroups: [''], resources: ['configmaps'] }] },
  controller: {
    config: {
      k8sResources,
      files: { 'page.http': { template: 'HTTP/1.0 503 No\n\nno\n' } },
      crtLists: { 'list.txt': { template: 'ssl/site.pem\n' } },
      sslCertificates: {
        'site.pem': { template: '-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n' },
      },
    },
  },
});

/** Rights that are granted and that nothing here takes, and why they are granted all the same. */
const unused: Readonly<Record<string, string>> = {
  'get events.events.k8s.io': 'One that was told before and cannot be changed is looked at.',
  'patch events.events.k8s.io': 'One that goes on is counted up, after minutes.',
  'list customresourcedefinitions.apiextensions.k8s.io':
    'A watched kind that is not served comes with its CRD; those of the shipped libraries are always served.',
  'watch customresourcedefinitions.apiextensions.k8s.io': 'The same.',
};

describeOnCluster(
  'with the rights of the chart and no other, on a real API server,',
  (cluster) => {
    let kubectl: Kubectl;
    let namespace: string;
    let folder: string;
    let manifests: readonly Manifest[];
    const proxies: RecordingProxy[] = [];
    let agentPort: number;
    let agent: Server | undefined;
    let controller: ChildProcess | undefined;
    /** Of the controller: what it says when something does not come. */
    let log = '';

    beforeAll(async () => {
      kubectl = await cluster.kubectl();
      namespace = await createNamespace(kubectl);
      folder = mkdtempSync(path.join(tmpdir(), 'haptic-rbac-'));
      await installCrds(kubectl);
      agentPort = await freePort();
      manifests = await renderChart({
        ...{ release, namespace, apis: [] },
        values: values(agentPort, { page: { template: ownObject(namespace) } }),
      });
      await apply(
        manifests.filter(({ kind }) => !['Deployment', 'DaemonSet', 'Job', 'CronJob'].includes(kind)),
      );
    });
    afterAll(async () => {
      await stop();
      agent?.closeAllConnections();
      agent?.close();
      for (const proxy of proxies) await proxy.close();
      for (const { kind, metadata } of manifests)
        if (metadata.namespace === undefined && kind !== 'CustomResourceDefinition')
          await kubectl.ok(['delete', kind, metadata.name, '--ignore-not-found', '--wait=false']);
      await kubectl.ok(['delete', 'namespace', namespace, '--wait=false']);
      rmSync(folder, { recursive: true });
      await kubectl.close();
    });

    const apply = (objects: readonly object[]) =>
      kubectl.ok(
        ['apply', '--server-side', '--force-conflicts', '--field-manager=helm', '-f', '-'],
        JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }),
      );
    const get = async (...words: readonly string[]) =>
      (await kubectl.run(['get', '-n', namespace, ...words])).stdout;

    /** A kubeconfig by which a service account asks, and what it asks for. */
    async function actAs(
      name: string,
    ): Promise<{ readonly kubeconfig: string; readonly proxy: RecordingProxy }> {
      const token = (await kubectl.ok(['create', 'token', name, '-n', namespace])).trim();
      const proxy = await recordingProxy(cluster.kubeconfigPath, token);
      proxies.push(proxy);
      const kubeconfig = path.join(folder, `${name}.kubeconfig`);
      writeFileSync(kubeconfig, proxy.kubeconfig);
      return { kubeconfig, proxy };
    }

    /** The service account and the arguments of a container of the chart. */
    function programOf(
      owner: RegExp,
      container: string,
    ): { readonly account: string; readonly args: readonly string[] } {
      const pod = podsOf(manifests).find((one) => owner.test(one.owner));
      const found = pod?.containers.find(({ name }) => name === container) ?? pod?.containers[0];
      const account = pod?.spec['serviceAccountName'];
      if (typeof account !== 'string' || !Array.isArray(found?.['args']))
        throw new Error(`there is no pod of ${String(owner)}`);
      return { account, args: found['args'].map(String) };
    }

    /** Whatever was refused, and whatever was granted and not used. */
    function judge(
      account: string,
      { requests }: RecordingProxy,
      excused: Readonly<Record<string, string>>,
    ): void {
      const refused = requests.filter(({ status }) => status === 401 || status === 403);
      expect(refused.map(({ method, path: place }) => `${method} ${place}`)).toStrictEqual([]);
      const used = requests.flatMap(usedRights);
      const granted = grantedRights(manifests, { name: account, namespace });
      expect(granted.length).toBeGreaterThan(0);
      const idle = granted.filter((grant) => !used.some((right) => isUsedBy(grant, right)));
      const texts = [...new Set(idle.map(textHere))].sort();
      expect(texts).toStrictEqual(Object.keys(excused).sort());
    }

    /** Names of this run are left out. */
    const textHere = ({ namespace: _namespace, ...right }: Right): string =>
      rightText(right).replaceAll(namespace, 'NS');

    async function certificateOf(
      secret: string,
    ): Promise<Readonly<Record<'tls.crt' | 'tls.key' | 'ca.crt', string>>> {
      const name = manifests.find(({ kind, metadata }) => kind === 'Secret' && metadata.name.endsWith(secret))
        ?.metadata.name;
      const { data } = JSON.parse(await get('secret', name ?? '', '-o', 'json')) as {
        readonly data: Readonly<Record<string, string>>;
      };
      const pem = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString();
      return { 'tls.crt': pem('tls.crt'), 'tls.key': pem('tls.key'), 'ca.crt': pem('ca.crt') };
    }

    /** A HAProxy pod as a kubelet would tell of it, with an agent that has a certificate of the chart. */
    async function startPod(): Promise<void> {
      const { 'tls.crt': cert, 'tls.key': key, 'ca.crt': ca } = await certificateOf('-agent-tls');
      agent = createTlsServer({ cert, key, ca, requestCert: true }, simulatedAgent());
      agent.listen(agentPort, '127.0.0.1');
      await once(agent, 'listening');
      const chartPod = podsOf(manifests).find(({ owner }) => /^Deployment .*-haproxy$/.test(owner));
      const metadata = { name: 'haproxy-0', namespace, labels: chartPod?.labels };
      await apply([
        {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata,
          spec: { containers: [{ name: 'agent', image: 'none' }], automountServiceAccountToken: false },
        },
      ]);
      const running = {
        ...{
          name: 'agent',
          image: 'none',
          imageID: 'none',
          ready: true,
          restartCount: 0,
          containerID: 'c://0',
        },
        state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
      };
      const status = {
        phase: 'Running',
        podIP: '127.0.0.1',
        podIPs: [{ ip: '127.0.0.1' }],
        containerStatuses: [running],
      };
      await kubectl.ok([
        'patch',
        'pod',
        'haproxy-0',
        '-n',
        namespace,
        '--subresource=status',
        '--type=merge',
        '-p',
        JSON.stringify({ status }),
      ]);
    }

    async function stop(): Promise<void> {
      if (controller === undefined) return;
      const ended = once(controller, 'exit');
      controller.kill('SIGTERM');
      await ended;
      controller = undefined;
    }

    it('certificates are issued into their Secrets', async () => {
      const { account, args } = programOf(/^Job .*certificates/, 'certificates');
      const { kubeconfig, proxy } = await actAs(account);
      const { code, err } = await callOf(certificatesCommand, [...args.slice(1), '--kubeconfig', kubeconfig]);
      expect([err, code]).toStrictEqual(['', 0]);
      judge(account, proxy, {});
    });

    it('CRDs are brought to this version before an upgrade', async () => {
      const { account, args } = programOf(/^Job .*-crds$/, 'crds');
      const { kubeconfig, proxy } = await actAs(account);
      const { code, err } = await callOf(applyCrdsCommand, [...args.slice(1), '--kubeconfig', kubeconfig]);
      expect([err, code]).toStrictEqual(['', 0]);
      judge(account, proxy, {
        'create customresourcedefinitions.apiextensions.k8s.io': 'A new version may bring a kind along.',
      });
    });

    it('a controller watches, leads, publishes, and writes statuses, Events and objects of its own', async ({
      onTestFailed,
    }) => {
      onTestFailed(() => void process.stderr.write(log));
      const { account, args } = programOf(/^Deployment .*controller$/, 'controller');
      const { kubeconfig, proxy } = await actAs(account);
      const [port, webhookPort] = [await freePort(), await freePort()];
      const flag = (name: string) =>
        args.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3) ?? '';
      const tls = path.join(folder, 'tls');
      mkdirSync(tls);
      for (const [key, pem] of Object.entries(await certificateOf('-controller-tls')))
        writeFileSync(path.join(tls, key), pem, { mode: 0o600 });
      await startPod();
      const start = (): void => {
        controller = spawn(
          process.execPath,
          [
            path.join(root, 'src/main.ts'),
            // API servers of a control plane alone reach no Service.
            ...args.filter((word) => !word.startsWith('--webhook-service=')),
            ...[
              '--kubeconfig',
              kubeconfig,
              '--namespace',
              namespace,
              '--haproxy',
              newestHaproxyLine()?.path ?? '',
            ],
            ...[
              `--health-listen=0.0.0.0:${port}`,
              '--metrics-listen=127.0.0.1:0',
              `--webhook-listen=127.0.0.1:${webhookPort}`,
              `--webhook-url=https://127.0.0.1:${webhookPort}`,
            ],
            `--agent-tls-dir=${tls}`,
          ],
          { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env['PATH'] ?? '', TMPDIR: folder } },
        );
        const noted = (chunk: Buffer): void => void (log += chunk.toString());
        controller.stdout?.on('data', noted);
        controller.stderr?.on('data', noted);
      };
      start();
      await apply(scene(namespace));
      const service = manifests.find(
        ({ kind, metadata }) => kind === 'Service' && metadata.name.endsWith('-haproxy'),
      );
      await kubectl.ok([
        ...[
          'patch',
          'service',
          service?.metadata.name ?? '',
          '-n',
          namespace,
          '--subresource=status',
          '--type=merge',
        ],
        ...['-p', '{"status":{"loadBalancer":{"ingress":[{"ip":"192.0.2.10"}]}}}'],
      ]);
      await expect
        .poll(() => get('lease', flag('lease-name'), '-o', 'jsonpath={.spec.holderIdentity}'), patience)
        .not.toBe('');
      await expect
        .poll(() => get('hpcfg,hpmap,hpgf,hpcl', '-o', 'jsonpath={.items[*].kind}'), patience)
        .toMatch(/^(?=.*HAProxyCfg)(?=.*HAProxyMapFile)(?=.*HAProxyGeneralFile)(?=.*HAProxyCRTListFile)/);
      await expect
        .poll(() => get('ingress', 'good', '-o', 'jsonpath={.status.loadBalancer.ingress[0].ip}'), patience)
        .toBe('192.0.2.10');
      await expect
        .poll(
          () =>
            get(
              'events.events.k8s.io',
              '--field-selector',
              'regarding.name=bad',
              '-o',
              'jsonpath={.items[*].reason}',
            ),
          patience,
        )
        .not.toBe('');
      await expect.poll(() => get('configmap', 'page', '-o', 'jsonpath={.data.color}'), patience).toBe('red');
      await expect
        .poll(
          () =>
            get(
              'validatingwebhookconfiguration',
              flag('webhook-configuration'),
              '-o',
              'jsonpath={.webhooks[*].name}',
            ),
          patience,
        )
        .not.toBe('');
      await expect
        .poll(
          () =>
            get(
              'haproxytemplateconfig',
              flag('crd-name'),
              '-o',
              'jsonpath={.status.conditions[?(@.type=="Validated")].status}',
            ),
          patience,
        )
        .toBe('True');
      if (elsewhere !== undefined) {
        const token = (await kubectl.ok(['create', 'token', account, '-n', namespace])).trim();
        const asked = await fetch(`http://${elsewhere}:${port}/debug/taps`, {
          headers: { authorization: `Bearer ${token}` },
        });
        // It may not, which takes both reviews to find out.
        expect(asked.status).toBe(403);
      }

      // One that is started anew looks up what the former one wrote.
      await stop();
      start();
      await expect
        .poll(() => get('lease', flag('lease-name'), '-o', 'jsonpath={.spec.holderIdentity}'), patience)
        .not.toBe('');
      // What is switched off is removed.
      const off = { controller: { configPublishing: { enabled: false } }, k8sResources: null };
      await kubectl.ok([
        'patch',
        'haproxytemplateconfig',
        flag('crd-name'),
        '-n',
        namespace,
        '--type=merge',
        '-p',
        JSON.stringify({ spec: off }),
      ]);
      await expect.poll(() => get('hpcfg,hpmap,hpgf,hpcl', '-o', 'name'), patience).toBe('');
      await expect.poll(() => get('configmap', 'page', '-o', 'name'), patience).toBe('');
      await stop();
      expect(await get('lease', flag('lease-name'), '-o', 'jsonpath={.spec.holderIdentity}')).toBe('');
      const reviews =
        elsewhere === undefined
          ? {
              'create subjectaccessreviews.authorization.k8s.io': 'There is no address but loopback.',
              'create tokenreviews.authentication.k8s.io': 'The same.',
            }
          : {};
      judge(account, proxy, { ...unused, ...reviews });
    });
  },
  missing,
);

function ownObject(namespace: string): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: page\n  namespace: ${namespace}\ndata:\n  color: red\n`;
}

/** One Ingress that can be served, and one that names a Service that is not there. */
function scene(namespace: string): readonly object[] {
  const ingress = (name: string, service: string) => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name, namespace },
    spec: {
      ingressClassName: `${release}-haptic`,
      rules: [
        {
          host: `${name}.example.com`,
          http: {
            paths: [
              {
                path: '/',
                pathType: 'Prefix',
                backend: { service: { name: service, port: { number: 80 } } },
              },
            ],
          },
        },
      ],
    },
  });
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web', namespace },
      spec: { ports: [{ name: 'http', port: 80 }] },
    },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'web-1', namespace, labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4',
      ports: [{ name: 'http', port: 8080 }],
      endpoints: [{ addresses: ['10.9.9.9'], conditions: { ready: true } }],
    },
    ingress('good', 'web'),
    ingress('bad', 'nowhere'),
  ];
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
