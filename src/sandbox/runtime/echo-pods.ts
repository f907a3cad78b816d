import { randomUUID } from 'node:crypto';
import { errorMessage } from '../../lib/error-message.ts';
import { startEchoServer, type EchoServer } from './echo-server.ts';
import { type Container, isTerminating, type Pod } from './kinds.ts';
import type { LoopbackRange } from './loopback-range.ts';
import { cacheObjects, keyOf } from './object-cache.ts';
import { type ObjectClient, refOf } from './object-client.ts';
import { type ContainerReport, podStatus } from './pod-status.ts';
import { createWorkQueue } from './work-queue.ts';

/** Set to `"false"` on a pod to have it fail its readiness while it goes on answering. */
const readyAnnotation = 'sandbox.haproxy-haptic.org/ready';
/** Where a container declares no port. */
const defaultPort = 8080;

export interface EchoPodsOptions {
  readonly client: ObjectClient;
  readonly addresses: LoopbackRange;
  /** Pods of this node are run here, and those of no node are bound to it. */
  readonly nodeName: string;
  /** Upper bound of a pod's termination grace period. */
  readonly maxGraceMs: number;
  readonly now: () => Date;
  readonly onError: (what: string, error: unknown) => void;
}

export interface EchoPods {
  readonly stop: () => Promise<void>;
}

interface RunningPod {
  readonly uid: string;
  readonly address: string;
  readonly startTime: Date;
  readonly ids: ReadonlyMap<string, string>;
  readonly servers: EchoServer[];
  ready: boolean;
  since: Date;
  ending: NodeJS.Timeout | undefined;
}

/**
 * The stand-in of a kubelet: every pod of the node gets an address of its own and an echo server on each TCP port that
 * its containers declare, whatever their image. A deleted pod goes on serving through its grace period (bounded), as a
 * well-behaved server does, and is then confirmed gone.
 */
export function runEchoPods(options: EchoPodsOptions): EchoPods {
  const { client, nodeName } = options;
  const running = new Map<string, RunningPod>();
  const failures = new Map<string, string>();
  const queue = createWorkQueue({
    work: sync,
    onError: (key, error) => options.onError(`Pod ${key}`, error),
  });
  const pods = cacheObjects<Pod>(client, 'v1', 'Pod', ({ object }) => queue.add(keyOf(object)));

  async function sync(key: string): Promise<void> {
    const pod = pods.get(key);
    const present = running.get(key);
    if (present !== undefined && present.uid !== pod?.metadata.uid) await end(key, present, 0);
    if (pod === undefined) {
      failures.delete(key);
      return;
    }
    if (pod.spec.nodeName === undefined && !isTerminating(pod)) {
      await client.merge(refOf(pod), { spec: { nodeName } });
      return;
    }
    if (pod.spec.nodeName !== nodeName) return;
    const own = running.get(key);
    if (isTerminating(pod)) await terminate(key, pod, own);
    else if (own === undefined) await start(key, pod);
    else await report(pod, own);
  }

  async function start(key: string, pod: Pod): Promise<void> {
    const now = options.now();
    const started: RunningPod = {
      uid: pod.metadata.uid ?? '',
      address: options.addresses.take(),
      startTime: now,
      ids: new Map(pod.spec.containers.map((container) => [container.name, randomUUID()])),
      servers: [],
      ready: false,
      since: now,
      ending: undefined,
    };
    try {
      for (const container of pod.spec.containers) await listen(pod, container, started);
    } catch (error) {
      await closeServers(started, 0);
      options.addresses.give(started.address);
      await reportFailure(pod, error);
      throw error;
    }
    failures.delete(key);
    running.set(key, started);
    await report(pod, started);
  }

  /** Once for each reason: a status that changed on every try would cause the next try. */
  async function reportFailure(pod: Pod, error: unknown): Promise<void> {
    const message = errorMessage(error);
    const reason = message.replace(/\s\S+$/, '');
    if (failures.get(keyOf(pod)) === reason) return;
    failures.set(keyOf(pod), reason);
    await client.merge(refOf(pod), { status: failedStatus(pod, options.now(), message) }, 'status');
  }

  async function listen(pod: Pod, container: Container, own: RunningPod): Promise<void> {
    const { namespace = '', name } = pod.metadata;
    const identity = { namespace, pod: name, container: container.name };
    for (const port of portsOf(pod, container))
      own.servers.push(await startEchoServer(identity, own.address, port));
  }

  async function report(pod: Pod, own: RunningPod): Promise<void> {
    const ready = pod.metadata.annotations?.[readyAnnotation] !== 'false';
    if (pod.status?.podIP === own.address && ready === own.ready) return;
    if (ready !== own.ready) own.since = options.now();
    own.ready = ready;
    const containers = pod.spec.containers.map((container): ContainerReport => ({
      name: container.name,
      image: container.image ?? '',
      restartCount: 0,
      state: { kind: 'running', startedAt: own.startTime, id: own.ids.get(container.name) ?? '', ready },
    }));
    const status = podStatus({ podIP: own.address, startTime: own.startTime, containers, since: own.since });
    await client.merge(refOf(pod), { status }, 'status');
  }

  async function terminate(key: string, pod: Pod, own: RunningPod | undefined): Promise<void> {
    if (own === undefined) {
      await client.remove(refOf(pod), { gracePeriodSeconds: 0 });
      return;
    }
    if (own.ending !== undefined) return;
    for (const server of own.servers) server.drain();
    const asked = (pod.metadata.deletionGracePeriodSeconds ?? 30) * 1000;
    const finish = async () => {
      await end(key, own, 1_000);
      await client.remove(refOf(pod), { gracePeriodSeconds: 0 });
    };
    own.ending = setTimeout(
      () => {
        finish().catch((error: unknown) => options.onError(`Pod ${key}`, error));
      },
      Math.min(asked, options.maxGraceMs),
    );
  }

  async function end(key: string, own: RunningPod, graceMs: number): Promise<void> {
    clearTimeout(own.ending);
    if (running.get(key) !== own) return;
    running.delete(key);
    await closeServers(own, graceMs);
    options.addresses.give(own.address);
  }

  return {
    stop: async () => {
      pods.stop();
      await queue.stop();
      await Promise.all([...running].map(([key, own]) => end(key, own, 0)));
    },
  };
}

async function closeServers(own: RunningPod, graceMs: number): Promise<void> {
  await Promise.all(own.servers.map((server) => server.close(graceMs)));
  own.servers.length = 0;
}

function portsOf(pod: Pod, container: Container): readonly number[] {
  const declared = (container.ports ?? [])
    .filter((port) => (port.protocol ?? 'TCP') === 'TCP')
    .map((port) => port.containerPort);
  if (declared.length > 0) return [...new Set(declared)];
  const isOnly = pod.spec.containers.every((other) => (other.ports ?? []).length === 0);
  return isOnly && container === pod.spec.containers[0] ? [defaultPort] : [];
}

function failedStatus(pod: Pod, now: Date, message: string): object {
  const containers = pod.spec.containers.map((container): ContainerReport => ({
    name: container.name,
    image: container.image ?? '',
    restartCount: 0,
    state: { kind: 'waiting', reason: 'CreateContainerError', message },
  }));
  return podStatus({ podIP: undefined, startTime: now, containers, since: now });
}
