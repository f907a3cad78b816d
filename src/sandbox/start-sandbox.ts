import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { defaultPolicy } from '../certificates/certificate-policy.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { folderStore } from '../certificates/folder-store.ts';
import { issueSelfSigned } from '../certificates/issue-self-signed.ts';
import { renewCertificates } from '../certificates/renew-certificates.ts';
import { mergeSpecs } from '../config/merge-specs.ts';
import { agentEnvironment } from '../lib/agent-environment.ts';
import { controllerEnvironment } from '../lib/controller-environment.ts';
import { nodeFlags } from '../lib/node-flags.ts';
import { errorMessage } from '../lib/error-message.ts';
import type { ApiServer } from './api/api-server.ts';
import { createApiServer } from './api/create-api-server.ts';
import { adaptApiClient } from './runtime/adapt-api-client.ts';
import { askSocket } from './runtime/ask-socket.ts';
import { runEchoPods } from './runtime/echo-pods.ts';
import { findHaproxy, type HaproxyBinary } from './runtime/find-haproxy.ts';
import { freePort } from './runtime/free-port.ts';
import { type HaproxyPodOptions, startHaproxyPod } from './runtime/haproxy-pod.ts';
import { claimLoopbackRange } from './runtime/loopback-range.ts';
import { followManifestFolder } from './runtime/manifest-folder.ts';
import { startOrphanGuard } from './runtime/orphan-guard.ts';
import { locateProgram } from './runtime/program.ts';
import { runServiceEndpoints } from './runtime/service-endpoints.ts';
import { supervise } from './runtime/supervise.ts';
import { runWorkloads } from './runtime/workloads.ts';
import { sampleObjects } from './sample.ts';
import { sandboxConfig, systemConfig } from './system-config.ts';
import {
  haproxyLabels,
  nodeRef,
  nodes,
  nodeStatus,
  systemNamespace,
  systemObjects,
} from './system-objects.ts';

export interface SandboxOptions {
  /** The environment: PATH and HAPTIC_HAPROXY_DIR are looked at, children get all of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Port on 127.0.0.1 where HAProxy serves HTTP. Default: a free one. */
  readonly httpPort?: number;
  /** Port on 127.0.0.1 where HAProxy serves HTTPS. Default: a free one. */
  readonly httpsPort?: number;
  /** Port on 127.0.0.1 of the Kubernetes API. Default: a free one. */
  readonly apiPort?: number;
  /** Path of a HAProxy. Default: the newest that is found. */
  readonly haproxy?: string;
  /**
   * Paths of more HAProxies: one more pod for each, under the same configuration. All pods then serve HTTP on port 8000 of their own address
   * as well.
   */
  readonly fleet?: readonly string[];
  /** Shortest time between two reloads of a pod, e.g. `5s`. Default: none. */
  readonly reloadInterval?: string;
  /** Folders of manifests to apply and follow. */
  readonly folders?: readonly string[];
  /** Default true: the sample Deployment, Service and Ingress. */
  readonly sample?: boolean;
  /** Default true: the controller runs. Without it nothing brings HAProxy to what the API holds. */
  readonly controller?: boolean;
  /** Controllers, which elect a leader where there are several. Default: one, which needs no election. */
  readonly controllers?: number;
  /** How often the controller asks every HAProxy pod what it holds. Default: the libraries' own. */
  readonly driftPreventionInterval?: string;
  /** How long one of the controller's watches may last, e.g. `10s`. Default: the controller's. */
  readonly watchTimeout?: string;
  /** Merged over the template libraries' `templatingSettings.extraContext`. */
  readonly extraContext?: Readonly<Record<string, unknown>>;
  /** True: the API asks the controller whether objects may get in. Default false: everything does. */
  readonly webhook?: boolean;
  /** More of the configuration's `spec`; merged over all else. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Upper bound of a pod's termination grace period, ms. Default 5,000. */
  readonly maxGraceMs?: number;
  /** Told what happens, a line at a time. */
  readonly report?: (line: string) => void;
}

export interface Sandbox {
  readonly api: ApiServer;
  readonly kubeconfigPath: string;
  /** `http://127.0.0.1:<port>`: HAProxy. */
  readonly httpUrl: string;
  /** `https://127.0.0.1:<port>`: the same by TLS. */
  readonly httpsUrl: string;
  /** The controller's health and debug taps. */
  readonly controllerUrl: string;
  readonly haproxy: HaproxyBinary & {
    readonly statsSocket: string;
    readonly masterSocket: string;
    /** Pid of the master; undefined while it does not run. */
    readonly pid: () => number | undefined;
    /** Reloads that the running master has done, failed ones included. */
    readonly reloads: () => Promise<number>;
    readonly restarts: () => number;
  };
  readonly agent: SandboxProcess;
  readonly controller: SandboxProcess;
  /** All of them, that one first. */
  readonly controllers: readonly SandboxController[];
  /** The pods of {@link SandboxOptions.fleet}, in its order. */
  readonly fleet: readonly SandboxPod[];
  /** The controller's certificate for the agents, with its key. Gone with the sandbox. */
  readonly agentTlsDir: string;
  /** `haproxy.log`, `agent.log`, `controller.log`. Gone with the sandbox. */
  readonly logFolder: string;
  /** Ends every process, connection and folder of the sandbox. Idempotent. */
  readonly stop: () => Promise<void>;
}

export interface SandboxProcess {
  readonly pid: () => number | undefined;
  readonly restarts: () => number;
}

export interface SandboxController extends SandboxProcess {
  /** Its health and debug taps. */
  readonly url: string;
  /** Where its log is, below {@link Sandbox.logFolder}. */
  readonly logFile: string;
  /** Ends it for good, as SIGTERM from a kubelet does. */
  readonly stop: () => Promise<void>;
}

export interface SandboxPod {
  readonly name: string;
  /** `3.4.7-1` */
  readonly version: string;
  readonly address: string;
  readonly httpPort: number;
  readonly statsSocket: string;
  /** Reloads that the running master has done, failed ones included. */
  readonly reloads: () => Promise<number>;
}

const agentPort = 5555;
const metricsPort = 5557;
const controllerPort = 8080;
const fleetPort = 8000;
const selfSigned = { namespace: systemNamespace, name: 'haptic-self-signed' };
/** Names the pod's own address in the one configuration that all pods of a fleet share. */
const fleetBind = { template: `    bind "\${HAPTIC_POD_ADDRESS}:${fleetPort}"\n` };

/**
 * Brings up HAPTIC on this machine: the embedded Kubernetes API, the stand-ins of a cluster's controllers and kubelets, a
 * HAProxy with its agent as a pod, the controller, and the sample. Resolves when all of it has been started; the first
 * configuration reaches HAProxy shortly afterwards. Any number of sandboxes run side by side. Should this process die
 * without `stop`, its children are ended and its folder is removed all the same.
 *
 * @throws CodedError `HAPTIC_ERR_SANDBOX_…`; nothing is left behind then
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const report = options.report ?? (() => undefined);
  const onError = (what: string, error: unknown) => report(`${what}: ${errorMessage(error)}`);
  await using started = new AsyncDisposableStack();

  const program = locateProgram(import.meta.url);
  const haproxy = await findHaproxy({
    ...(options.haproxy === undefined ? {} : { explicit: options.haproxy }),
    lineFolders: [options.env['HAPTIC_HAPROXY_DIR'], program.haproxyLines].filter((f) => f !== undefined),
    searchPath: options.env['PATH'] ?? '',
  });

  const folder = await mkdtemp(join(tmpdir(), 'haptic-sandbox-'));
  const logFolder = join(folder, 'log');
  await mkdir(logFolder);
  const guard = startOrphanGuard(folder);
  started.defer(guard.stop);
  const addresses = await claimLoopbackRange();
  started.defer(addresses.release);

  const api = await createApiServer({ port: options.apiPort ?? 0, gracefulPods: true });
  started.defer(api.close);
  const kubeconfigPath = join(folder, 'kubeconfig');
  await writeFile(kubeconfigPath, api.kubeconfig(), { mode: 0o600 });
  const client = adaptApiClient(api.client, onError);
  for (const object of systemObjects) await client.create(object);
  for (const name of Object.values(nodes))
    await client.merge(nodeRef(name), { status: nodeStatus }, 'status');

  const now = () => new Date();
  const { maxGraceMs = 5_000 } = options;
  const echoPods = runEchoPods({ client, addresses, nodeName: nodes.echo, maxGraceMs, now, onError });
  started.defer(echoPods.stop);
  const endpoints = runServiceEndpoints({ client, onError });
  started.defer(endpoints.stop);
  const workloads = runWorkloads({ client, nodeName: nodes.echo, now, randomSuffix, onError });
  started.defer(workloads.stop);
  if (options.sample !== false) for (const object of sampleObjects) await client.create(object);

  const httpBind = `127.0.0.1:${options.httpPort ?? (await freePort())}`;
  const httpsBind = `127.0.0.1:${options.httpsPort ?? (await freePort())}`;
  await client.create(await selfSignedSecret());
  const podAddress = addresses.take();
  const certificates = join(folder, 'certificates');
  await renewCertificates({ store: folderStore(certificates), policy: defaultPolicy, now: Date.now });
  const podWith = (
    own: Pick<HaproxyPodOptions, 'name' | 'baseDir' | 'logFolder' | 'address' | 'httpBind' | 'haproxyPath'>,
  ) =>
    startHaproxyPod({
      client,
      guard,
      namespace: systemNamespace,
      labels: haproxyLabels,
      nodeName: nodes.haproxy,
      agentPort,
      metricsPort,
      tlsDir: join(certificates, 'server'),
      agentCommand: [process.execPath, ...nodeFlags, program.main, 'agent'],
      env: { ...agentEnvironment, ...options.env, HAPTIC_POD_ADDRESS: own.address },
      ...(options.reloadInterval === undefined ? {} : { reloadInterval: options.reloadInterval }),
      onError,
      ...own,
    });
  const pod = await podWith({
    name: 'haproxy-0',
    baseDir: join(folder, 'haproxy'),
    logFolder,
    address: podAddress,
    httpBind,
    haproxyPath: haproxy.path,
  });
  started.defer(pod.stop);
  const fleet: SandboxPod[] = [];
  for (const explicit of options.fleet ?? []) {
    const name = `haproxy-${fleet.length + 1}`;
    const address = addresses.take();
    const binary = await findHaproxy({ explicit, lineFolders: [], searchPath: '' });
    await mkdir(join(logFolder, name));
    const other = await podWith({
      name,
      baseDir: join(folder, name),
      logFolder: join(logFolder, name),
      address,
      httpBind: `${address}:${fleetPort}`,
      haproxyPath: binary.path,
    });
    started.defer(other.stop);
    fleet.push({
      name,
      version: binary.version,
      address,
      httpPort: fleetPort,
      statsSocket: other.workerSocket,
      reloads: async () => parseReloads(await askSocket(other.masterSocket, 'show proc')),
    });
  }

  const controllerCount = options.controller === false ? 0 : (options.controllers ?? 1);
  const webhookFlags = options.webhook === true ? await prepareWebhook(join(folder, 'webhook')) : [];
  const values = {
    podSelector: { matchLabels: haproxyLabels },
    controller: {
      selfSignedCertificate: selfSigned,
      // One that is started anew would wait for the end of its own Lease.
      ...(controllerCount > 1 ? {} : { leaderElection: { enabled: false } }),
    },
    dataplane: {
      port: agentPort,
      ...(options.driftPreventionInterval === undefined
        ? {}
        : { driftPreventionInterval: options.driftPreventionInterval }),
    },
    ...(fleet.length === 0 ? {} : { templateSnippets: { 'frontend-http-000-sandbox-fleet': fleetBind } }),
    templatingSettings: {
      extraContext: {
        httpBind,
        httpsBind,
        sslRedirectPort: Number(httpsBind.split(':')[1]),
        statusBind: `${podAddress}:8404`,
        accessLog: false,
        ...options.extraContext,
      },
    },
  };
  for (const object of systemConfig(mergeSpecs(values, options.config ?? {}))) await client.create(object);
  const controllers = Array.from({ length: controllerCount }, (_, index): SandboxController => {
    const address = addresses.take();
    const name = index === 0 ? 'controller' : `controller-${index}`;
    const logFile = join(logFolder, `${name}.log`);
    const running = supervise(
      {
        name,
        command: process.execPath,
        args: [
          ...[...nodeFlags, program.main, 'run', '--kubeconfig', kubeconfigPath],
          ...['--namespace', systemNamespace, '--haproxy', haproxy.path],
          ...['--crd-name', sandboxConfig.name, '--identity', name],
          ...['--health-listen', `${address}:${controllerPort}`],
          ...['--metrics-listen', `${address}:9090`],
          ...['--agent-tls-dir', join(certificates, 'client')],
          // The API asks at one port.
          ...(index === 0 ? webhookFlags : []),
          ...(options.watchTimeout === undefined ? [] : ['--watch-timeout', options.watchTimeout]),
        ],
        cwd: folder,
        env: { ...controllerEnvironment, ...options.env },
        logFile,
      },
      guard,
    );
    started.defer(() => running.stop());
    return { ...running, url: `http://${address}:${controllerPort}`, logFile };
  });
  const [controller] = controllers;

  for (const manifests of options.folders ?? []) {
    const followed = await followManifestFolder({ client, folder: resolve(manifests), report });
    started.defer(followed.stop);
  }

  const stack = started.move();
  return {
    api,
    kubeconfigPath,
    httpUrl: `http://${httpBind}`,
    httpsUrl: `https://${httpsBind}`,
    controllerUrl: controller?.url ?? '',
    haproxy: {
      ...haproxy,
      statsSocket: pod.workerSocket,
      masterSocket: pod.masterSocket,
      pid: pod.pid,
      reloads: async () => parseReloads(await askSocket(pod.masterSocket, 'show proc')),
      restarts: () => pod.restarts().haproxy,
    },
    agent: { pid: pod.agentPid, restarts: () => pod.restarts().agent },
    controller: { pid: () => controller?.pid(), restarts: () => controller?.restarts() ?? 0 },
    controllers,
    fleet,
    agentTlsDir: join(certificates, 'client'),
    logFolder,
    stop: () => stack.disposeAsync(),
  };
}

/** What HAProxy shows to clients for which there is no certificate. */
async function selfSignedSecret(): Promise<KubeObject> {
  const { cert, key } = await issueSelfSigned(Date.now(), defaultPolicy.validityMs);
  const data = { 'tls.crt': cert, 'tls.key': key };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: selfSigned,
    type: 'kubernetes.io/tls',
    data: Object.fromEntries(
      Object.entries(data).map(([name, text]) => [name, Buffer.from(text).toString('base64')]),
    ),
  };
}

/** A certificate for the webhook, and the flags of the controller that make it listen and be asked. */
async function prepareWebhook(folder: string): Promise<readonly string[]> {
  const policy = { ...defaultPolicy, serverName: 'localhost' };
  await renewCertificates({ store: folderStore(folder), policy, now: Date.now });
  const port = await freePort();
  return [
    ...['--webhook-tls-dir', join(folder, 'server')],
    ...['--webhook-listen', `127.0.0.1:${port}`],
    ...['--webhook-url', `https://localhost:${port}`],
    ...['--webhook-configuration', 'haptic-sandbox'],
  ];
}

/** The master's own row of `show proc`: pid, type, reloads. */
function parseReloads(answer: string): number {
  return Number(/^\d+\s+master\s+(\d+)/m.exec(answer)?.[1] ?? Number.NaN);
}

function randomSuffix(): string {
  return randomUUID().slice(0, 5);
}
