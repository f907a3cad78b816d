import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { defaultPolicy } from '../certificates/certificate-policy.ts';
import { folderStore } from '../certificates/folder-store.ts';
import { renewCertificates } from '../certificates/renew-certificates.ts';
import { nodeFlags } from '../lib/node-flags.ts';
import type { ApiServer } from './api/api-server.ts';
import { createApiServer } from './api/create-api-server.ts';
import { adaptApiClient } from './runtime/adapt-api-client.ts';
import { askSocket } from './runtime/ask-socket.ts';
import { runEchoPods } from './runtime/echo-pods.ts';
import { findHaproxy, type HaproxyBinary } from './runtime/find-haproxy.ts';
import { freePort } from './runtime/free-port.ts';
import { startHaproxyPod } from './runtime/haproxy-pod.ts';
import { claimLoopbackRange } from './runtime/loopback-range.ts';
import { followManifestFolder } from './runtime/manifest-folder.ts';
import { startOrphanGuard } from './runtime/orphan-guard.ts';
import { locateProgram } from './runtime/program.ts';
import { runServiceEndpoints } from './runtime/service-endpoints.ts';
import { supervise } from './runtime/supervise.ts';
import { runWorkloads } from './runtime/workloads.ts';
import { sampleObjects } from './sample.ts';
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
  /** Port on 127.0.0.1 of the Kubernetes API. Default: a free one. */
  readonly apiPort?: number;
  /** Path of a HAProxy. Default: the newest that is found. */
  readonly haproxy?: string;
  /** Folders of manifests to apply and follow. */
  readonly folders?: readonly string[];
  /** Default true: the sample Deployment, Service and Ingress. */
  readonly sample?: boolean;
  /** Default true: the controller runs. Without it nothing brings HAProxy to what the API holds. */
  readonly controller?: boolean;
  /** How often the controller asks every HAProxy pod what it holds. Default: the libraries' own. */
  readonly driftPreventionInterval?: string;
  /** How long one of the controller's watches may last, e.g. `10s`. Default: the controller's. */
  readonly watchTimeout?: string;
  /** Merged over the template libraries' `templatingSettings.extraContext`. */
  readonly extraContext?: Readonly<Record<string, unknown>>;
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
  /** `haproxy.log`, `agent.log`, `controller.log`. Gone with the sandbox. */
  readonly logFolder: string;
  /** Ends every process, connection and folder of the sandbox. Idempotent. */
  readonly stop: () => Promise<void>;
}

export interface SandboxProcess {
  readonly pid: () => number | undefined;
  readonly restarts: () => number;
}

const agentPort = 5555;
const metricsPort = 5557;
const controllerPort = 8080;

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
  const onError = (what: string, error: unknown) =>
    report(`${what}: ${error instanceof Error ? error.message : String(error)}`);
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
  const podAddress = addresses.take();
  const certificates = join(folder, 'certificates');
  await renewCertificates({ store: folderStore(certificates), policy: defaultPolicy, now: Date.now });
  const pod = await startHaproxyPod({
    client,
    guard,
    namespace: systemNamespace,
    name: 'haproxy-0',
    labels: haproxyLabels,
    nodeName: nodes.haproxy,
    baseDir: join(folder, 'haproxy'),
    logFolder,
    address: podAddress,
    agentPort,
    metricsPort,
    tlsDir: join(certificates, 'server'),
    httpBind,
    haproxyPath: haproxy.path,
    agentCommand: [process.execPath, ...nodeFlags, program.main, 'agent'],
    env: options.env,
    onError,
  });
  started.defer(pod.stop);

  const controllerAddress = addresses.take();
  const valuesPath = join(folder, 'values.yaml');
  const values = {
    podSelector: { matchLabels: haproxyLabels },
    dataplane: {
      port: agentPort,
      ...(options.driftPreventionInterval === undefined
        ? {}
        : { driftPreventionInterval: options.driftPreventionInterval }),
    },
    templatingSettings: {
      extraContext: { httpBind, statusBind: `${podAddress}:8404`, accessLog: false, ...options.extraContext },
    },
  };
  await writeFile(valuesPath, stringify(values));
  const controller =
    options.controller === false
      ? undefined
      : supervise(
          {
            name: 'controller',
            command: process.execPath,
            args: [
              ...[...nodeFlags, program.main, 'run', '--kubeconfig', kubeconfigPath],
              ...['--namespace', systemNamespace, '--haproxy', haproxy.path, '--values', valuesPath],
              ...['--health-listen', `${controllerAddress}:${controllerPort}`],
              ...['--metrics-listen', `${controllerAddress}:9090`],
              ...['--agent-tls-dir', join(certificates, 'client')],
              ...(options.watchTimeout === undefined ? [] : ['--watch-timeout', options.watchTimeout]),
            ],
            cwd: folder,
            env: options.env,
            logFile: join(logFolder, 'controller.log'),
          },
          guard,
        );
  if (controller !== undefined) started.defer(() => controller.stop());

  for (const manifests of options.folders ?? []) {
    const followed = await followManifestFolder({ client, folder: resolve(manifests), report });
    started.defer(followed.stop);
  }

  const stack = started.move();
  return {
    api,
    kubeconfigPath,
    httpUrl: `http://${httpBind}`,
    controllerUrl: `http://${controllerAddress}:${controllerPort}`,
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
    logFolder,
    stop: () => stack.disposeAsync(),
  };
}

/** The master's own row of `show proc`: pid, type, reloads. */
function parseReloads(answer: string): number {
  return Number(/^\d+\s+master\s+(\d+)/m.exec(answer)?.[1] ?? Number.NaN);
}

function randomSuffix(): string {
  return randomUUID().slice(0, 5);
}
