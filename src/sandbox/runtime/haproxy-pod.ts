import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { askSocket } from './ask-socket.ts';
import { bootstrapConfig } from './bootstrap-config.ts';
import { isTerminating, type Pod } from './kinds.ts';
import { cacheObjects, keyOf } from './object-cache.ts';
import { type ObjectClient, refOf } from './object-client.ts';
import type { OrphanGuard } from './orphan-guard.ts';
import { type ContainerReport, podStatus } from './pod-status.ts';
import { type ProcessSpec, type ProcessState, supervise, type SupervisedProcess } from './supervise.ts';
import { createWorkQueue } from './work-queue.ts';

export interface HaproxyPodOptions {
  readonly client: ObjectClient;
  readonly guard: OrphanGuard;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly nodeName: string;
  /** Private folder of the pod: HAProxy's base dir, kept while the Pod object lives. */
  readonly baseDir: string;
  readonly logFolder: string;
  /** The pod's own address; the agent listens there. */
  readonly address: string;
  readonly agentPort: number;
  readonly metricsPort: number;
  /** Folder of the agent's certificate and of whom it believes. */
  readonly tlsDir: string;
  /** `address:port` where HAProxy serves HTTP. */
  readonly httpBind: string;
  readonly haproxyPath: string;
  /** The agent's command line, without what this pod knows: `[node, main, 'agent']`. */
  readonly agentCommand: readonly [string, ...string[]];
  /** Shortest time between two reloads, as the agent's flag takes it; default: none. */
  readonly reloadInterval?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onError: (what: string, error: unknown) => void;
}

export interface HaproxyPod {
  readonly masterSocket: string;
  readonly workerSocket: string;
  /** Pid of HAProxy's master and of the agent; undefined while it does not run. */
  readonly pid: () => number | undefined;
  readonly agentPid: () => number | undefined;
  /** Containers started again after their first start, by name. */
  readonly restarts: () => { readonly haproxy: number; readonly agent: number };
  readonly stop: () => Promise<void>;
}

interface Incarnation {
  readonly uid: string;
  readonly startTime: Date;
  readonly containers: readonly RunningContainer[];
  since: Date;
  wasReady: boolean;
}

interface RunningContainer {
  readonly name: 'haproxy' | 'agent';
  readonly process: SupervisedProcess;
  state: ProcessState;
  ready: boolean;
  probing: AbortController;
}

/**
 * A HAProxy pod as processes of this machine: HAProxy in master-worker mode and its agent, each started again when it
 * ends, and a Pod object that says so, found by the controller's ordinary discovery. A deleted Pod is replaced by a new
 * one with an empty base dir.
 */
export async function startHaproxyPod(options: HaproxyPodOptions): Promise<HaproxyPod> {
  const { client, baseDir } = options;
  const key = `${options.namespace}/${options.name}`;
  const masterSocket = join(baseDir, 'haproxy-master.sock');
  const workerSocket = join(baseDir, 'haproxy-worker.sock');
  let current: Incarnation | undefined;
  let stopped = false;

  const queue = createWorkQueue({ work: sync, onError: (_, error) => options.onError(`Pod ${key}`, error) });
  const pods = cacheObjects<Pod>(client, 'v1', 'Pod', ({ object }) => {
    if (keyOf(object) === key) queue.add(key);
  });

  async function sync(): Promise<void> {
    if (stopped) return;
    const pod = pods.get(key);
    if (current !== undefined && (pod?.metadata.uid !== current.uid || isTerminating(pod))) {
      await end(current);
      current = undefined;
    }
    if (pod === undefined) current = await begin();
    else if (isTerminating(pod)) await client.remove(refOf(pod), { gracePeriodSeconds: 0 });
    else if (current !== undefined) await report(pod, current);
  }

  async function begin(): Promise<Incarnation> {
    await rm(baseDir, { recursive: true, force: true });
    await mkdir(baseDir, { recursive: true, mode: 0o700 });
    await writeFile(join(baseDir, 'haproxy.cfg'), bootstrapConfig(baseDir, options.httpBind));
    const pod = await client.create(podObject());
    const now = new Date();
    const made: Incarnation = {
      uid: pod.metadata.uid ?? '',
      startTime: now,
      since: now,
      wasReady: false,
      containers: [
        run('haproxy', [options.haproxyPath, ...haproxyArgs()], () => askSocket(workerSocket, 'show info')),
        run('agent', [...options.agentCommand, ...agentArgs()], probeAgent),
      ],
    };
    return made;
  }

  function run(
    name: RunningContainer['name'],
    [command = '', ...args]: readonly string[],
    probe: () => Promise<unknown>,
  ): RunningContainer {
    const spec: ProcessSpec = {
      name,
      command,
      args,
      cwd: baseDir,
      env: options.env,
      logFile: join(options.logFolder, `${name}.log`),
    };
    const container: RunningContainer = {
      name,
      process: supervise(spec, options.guard),
      state: { kind: 'stopped' },
      ready: false,
      probing: new AbortController(),
    };
    container.process.state$.subscribe({
      next: (state) => {
        container.state = state;
        container.ready = false;
        container.probing.abort();
        container.probing = new AbortController();
        if (state.kind === 'running') void watchReadiness(container, probe, container.probing.signal);
        queue.add(key);
      },
      error: (error: unknown) => options.onError(`${name} of pod ${key}`, error),
    });
    return container;
  }

  /** Polls until the first answer, as a startup probe does. */
  async function watchReadiness(
    container: RunningContainer,
    probe: () => Promise<unknown>,
    signal: AbortSignal,
  ): Promise<void> {
    while (!signal.aborted) {
      try {
        await probe();
        // An answer that came after the process had ended is not the next process's.
        if (container.probing.signal === signal) {
          container.ready = true;
          queue.add(key);
        }
        return;
      } catch {
        await sleep(20, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async function probeAgent(): Promise<void> {
    const response = await fetch(`http://${options.address}:${options.metricsPort}/readyz`);
    if (!response.ok) throw new Error(`not ready: ${response.status}`);
  }

  async function report(pod: Pod, own: Incarnation): Promise<void> {
    const ready = own.containers.every((container) => container.ready);
    if (ready !== own.wasReady) own.since = new Date();
    own.wasReady = ready;
    const status = podStatus({
      podIP: options.address,
      startTime: own.startTime,
      since: own.since,
      containers: own.containers.map(containerReport),
    });
    const before = pod.status ?? {};
    if (JSON.stringify({ ...before, ...status }) !== JSON.stringify(before))
      await client.merge(refOf(pod), { status }, 'status');
  }

  async function end(own: Incarnation): Promise<void> {
    for (const container of own.containers) container.probing.abort();
    await Promise.all(own.containers.map((container) => container.process.stop()));
  }

  // In a cluster the host name of a pod is its own name; here all pods share that of the machine.
  const haproxyArgs = () => [
    ...['-dr', '-W', '-db', '-L', options.name, '-S', `${masterSocket},level,admin`],
    ...['--', join(baseDir, 'haproxy.cfg')],
  ];
  const agentArgs = () => [
    ...['--base-dir', baseDir],
    ...['--listen', `${options.address}:${options.agentPort}`, '--tls-dir', options.tlsDir],
    ...['--metrics-listen', `${options.address}:${options.metricsPort}`],
    ...['--reload-interval-min', options.reloadInterval ?? '0ms'],
  ];
  const podObject = (): Pod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: options.namespace, name: options.name, labels: options.labels },
    spec: {
      nodeName: options.nodeName,
      containers: [
        { name: 'haproxy', image: 'haproxy' },
        { name: 'agent', image: 'haptic', ports: [{ name: 'agent', containerPort: options.agentPort }] },
      ],
    },
  });
  const processOf = (name: string) => current?.containers.find((c) => c.name === name)?.process;

  queue.add(key);
  await queue.idle();
  return {
    masterSocket,
    workerSocket,
    pid: () => processOf('haproxy')?.pid(),
    agentPid: () => processOf('agent')?.pid(),
    restarts: () => ({
      haproxy: processOf('haproxy')?.restarts() ?? 0,
      agent: processOf('agent')?.restarts() ?? 0,
    }),
    stop: async () => {
      stopped = true;
      pods.stop();
      await queue.stop();
      if (current !== undefined) await end(current);
    },
  };
}

function containerReport(container: RunningContainer): ContainerReport {
  const { name, state, ready } = container;
  const base = { name, image: name === 'haproxy' ? 'haproxy' : 'haptic' };
  if (state.kind === 'running') {
    const id = `${state.pid}-${state.startedAt.getTime()}`;
    return {
      ...base,
      restartCount: state.restarts,
      state: { kind: 'running', startedAt: state.startedAt, id, ready },
      ...(state.lastExit === undefined ? {} : { lastExit: exitReport(state.lastExit) }),
    };
  }
  if (state.kind === 'waiting') {
    const message = `back-off ${state.delayMs}ms restarting ${name}`;
    return {
      ...base,
      restartCount: state.restarts,
      state: { kind: 'waiting', reason: 'CrashLoopBackOff', message },
      lastExit: exitReport(state.lastExit),
    };
  }
  return { ...base, restartCount: 0, state: { kind: 'waiting', reason: 'ContainerCreating', message: '' } };
}

function exitReport(exit: {
  readonly code: number | null;
  readonly signal: string | null;
  readonly startedAt: Date;
  readonly finishedAt: Date;
}): NonNullable<ContainerReport['lastExit']> {
  // A container ended by a signal shows 128 + its number; SIGKILL is what happens to containers.
  return { code: exit.code ?? 137, startedAt: exit.startedAt, finishedAt: exit.finishedAt };
}
